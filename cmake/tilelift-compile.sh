#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilelift-compile.sh <settings> [<launcher>...] <nvcc> <arguments>...
#
# Stands in front of nvcc in the compile commands of targets that tilelift_rewrite is
# called for: lifts the source of the command, and compiles what comes out in its place.
#
# How the source reads is asked of nvcc itself: its dry run prints the command by which
# the host compiler preprocesses the source for a device. Whatever leads there, be it
# response files, variables of the environment or options that define macros, is nvcc's
# business; nothing is known here of CMake or of nvcc's options. From that command,
# macros, include folders, forced includes and the standard go to tilelift as they are.
# Of the other flags of the host compiler, Clang gets the macros that they make.
#
# <settings> has a line for each of: tool, options (with semicolons between), compiler,
# target, folder.
set -f

fail() {
  echo "tilelift_rewrite: error: $1" >&2
  exit 2
}

settings=$1
shift
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
  tool=*) tool=${line#*=} ;;
  options=*) options=${line#*=} ;;
  compiler=*) compiler=${line#*=} ;;
  target=*) target=${line#*=} ;;
  folder=*) folder=${line#*=} ;;
  esac
done <"$settings" || fail "cannot read $settings"

object="" depfile="" previous=""
for word; do
  case $previous in
  -o) object=$word ;;
  -MF) depfile=$word ;;
  esac
  previous=$word
done
[ -n "$object" ] || fail "no -o in the command: $*"

# The dry run.

dry_run() {
  while [ $# -gt 0 ] && [ "$1" != "$compiler" ]; do shift; done
  [ $# -gt 0 ] || fail "$compiler does not appear in the command"
  shift
  "$compiler" --dryrun "$@" 2>&1
}

steps=$(dry_run "$@") || {
  printf '%s\n' "$steps" | grep -v '^#\$ ' >&2
  exit 1
}

# nvcc gives what it prints to a shell, so a shell reads it.
folders_of_nvcc() {
  eval "set -- $own"
  for word; do
    [ "$word" = -isystem ] || printf '%s\n' "${word#-I}"
  done
}

source_of_command() {
  eval "set -- $command"
  for word; do :; done
  printf '%s\n' "$word"
}

# Of several devices, the first with a TMA unit decides; without one, tilelift does.
command="" arch=0 own="" top="" standard=""
while IFS= read -r line; do
  case $line in
  '#$ INCLUDES='* | '#$ SYSTEM_INCLUDES='*) own="$own ${line#*=}" ;;
  '#$ TOP='*) top=${line#*=} ;;
  '#$ '*' -E -x c++ '*)
    case $line in *-D__CUDA_ARCH__=*) ;; *) continue ;; esac
    number=${line#*-D__CUDA_ARCH__=}
    number=${number%% *}
    if [ -z "$command" ] || { [ "$number" -ge 900 ] &&
      { [ "$arch" -lt 900 ] || [ "$number" -lt "$arch" ]; }; }; then
      command=${line#'#$ '}
      command=${command%' -o "'*} # drops redirections, too
      arch=$number
    fi
    ;;
  '#$ '*' --c++'[0-9]*)
    standard=${line#*' --c++'}
    standard=${standard%% *}
    ;;
  esac
done <<EOF
$steps
EOF
[ -n "$command" ] || fail "'$compiler --dryrun' shows no preprocessing for a device"
toolkit=$(folders_of_nvcc)
source=$(source_of_command)

# What kind of word `$1` of the preprocessing command is, into `kind`: it goes to Clang
# (read), it goes there together with the next one (pair), it is nvcc's own or says what
# the command does (none, nones), or it is one of the host compiler's other flags (host).
classify() {
  kind="read"
  case $1 in
  -D | -U) kind=pair && is_own_macro "$2" && kind=nones ;;
  -D* | -U*) is_own_macro "${1#-?}" && kind=none ;;
  -I | -isystem) kind=pair && is_own_folder "$2" && kind=nones ;;
  -I*) is_own_folder "${1#-I}" && kind=none ;;
  -include) kind=pair && [ "$2" = cuda_runtime.h ] && kind=nones ;;
  -iquote | -idirafter | -imacros | -isysroot | -iprefix | -iwithprefix | --sysroot) kind=pair ;;
  -isystem* | -iquote* | -idirafter* | -include?* | -imacros* | -isysroot* | --sysroot=*) ;;
  -std=* | -nostdinc | -nostdinc++) ;;
  -x) kind=nones ;;
  -E | -m64) kind=none ;;
  *) kind=host ;;
  esac
}

# Macros that say which compiler and device it is: Clang has its own.
is_own_macro() {
  case $1 in
  __CUDACC__ | __CUDACC__=* | __NVCC__ | __NVCC__=* | CUDA_DOUBLE_MATH_FUNCTIONS) ;;
  __CUDA_ARCH__=* | __CUDA_ARCH_FEAT_*) ;;
  __NVCC_DIAG_PRAGMA_SUPPORT__=* | __CUDACC_DEVICE_ATOMIC_BUILTINS__=*) ;;
  *) return 1 ;;
  esac
}

# Folders that nvcc adds by itself: those of the toolkit, which tilelift adds as well.
is_own_folder() {
  while IFS= read -r known; do
    [ "$1" != "$known" ] || return 0
  done <<EOF
$toolkit
EOF
  return 1
}

# The macros that the host compiler's other flags make or take away, as flags, one a line.
host_macros() {
  eval "set -- $command"
  host=$1
  shift
  count=$# dialect=
  while [ "$count" -gt 1 ]; do
    classify "$1" "$2"
    case $1 in -std=*) dialect=$1 ;; esac
    [ "$kind" != host ] || set -- "$@" "$1"
    case $kind in pair | nones) shift && count=$((count - 1)) ;; esac
    shift
    count=$((count - 1))
  done
  shift # the source
  [ $# -gt 0 ] || return 0
  before=$("$host" $dialect -dM -E -x c++ /dev/null) || return 1
  after=$("$host" $dialect "$@" -dM -E -x c++ /dev/null) || return 1
  printf '%s\n\n%s\n' "$before" "$after"
}

macro_flags() {
  awk '
    !NF { second = 1; next }
    { name = $2; value = $0; sub(/^#define [^ ]+ ?/, "", value) }
    !second { old[name] = value; next }
    { seen[name] = 1; if (!(name in old) || old[name] != value) print "-D" name "=" value }
    END { if (second) for (name in old) if (!(name in seen)) print "-U" name }'
}

# The lift.

place=${object##*"/$target.dir/"}
[ "$place" != "$object" ] || place=$(printf '%s' "$object" | tr / _)
folder=$folder/${place%.o}
lifted=$folder/${source##*/}
case $source in
*/*) beside=${source%/*} ;;
*) beside=. ;;
esac

lift() {
  macros=$(host_macros) || fail "the host compiler does not take the flags that nvcc gives it"
  macros=$(printf '%s\n' "$macros" | macro_flags)
  eval "set -- $command"
  host=$1
  shift
  count=$#
  set -- "$@" "$tool"
  IFS=';'
  for word in $options; do
    [ -z "$word" ] || set -- "$@" "$word"
  done
  unset IFS
  case ";$options" in
  *';--cuda-path'* | *';-cuda-path'*) ;;
  *) [ ! -e "$top/include/cuda.h" ] || set -- "$@" "--cuda-path=$(cd "$top" && pwd)" ;;
  esac
  case ";$options" in
  *';--arch'* | *';-arch'*) ;;
  *)
    if [ "$arch" -ge 900 ]; then
      case $command in
      *-D__CUDA_ARCH_FEAT_*) set -- "$@" "--arch=sm_$((arch / 10))a" ;;
      *) set -- "$@" "--arch=sm_$((arch / 10))" ;;
      esac
    fi
    ;;
  esac
  set -- "$@" "$source" -o "$lifted" "--depfile=$lifted.d" --
  # The same C++ library, and the host compiler's own headers behind Clang's.
  library=$("$host" -print-libgcc-file-name 2>/dev/null)
  [ ! -e "${library%/*}/crtbegin.o" ] || set -- "$@" "--gcc-install-dir=${library%/*}"
  case $command in
  *' -std='*) ;;
  *) [ -z "$standard" ] || set -- "$@" "-std=gnu++$standard" ;;
  esac
  while [ "$count" -gt 1 ]; do
    classify "$1" "$2"
    case $kind in
    read) set -- "$@" "$1" ;;
    pair) set -- "$@" "$1" "$2" ;;
    esac
    case $kind in pair | nones) shift && count=$((count - 1)) ;; esac
    shift
    count=$((count - 1))
  done
  shift # the source
  while IFS= read -r word; do
    [ -z "$word" ] || set -- "$@" "$word"
    case $word in -D_OPENMP=*) set -- "$@" -idirafter "$("$host" -print-file-name=include)" ;; esac
  done <<EOF
$macros
EOF
  "$@"
}

echo "Lifting ${source##*/}"
# A header that was lifted before would be found in place of one that no longer changes.
rm -rf "$folder"
mkdir -p "$folder" || exit 2
status=0
(lift) || status=$?
# With 1 and a file, a copy stays a loop and a warning has said so: the build goes on.
[ "$status" -eq 0 ] || { [ "$status" -eq 1 ] && [ -e "$lifted" ]; } || exit "$status"

# The compilation. What the source includes by quotes is still looked for beside it.

count=$# was_compiler=
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  if [ "$word" = "$compiler" ] && [ -z "$was_compiler" ]; then
    was_compiler=1
    set -- "$@" "$word" "-Xcompiler=-iquote,\"$beside\""
  elif [ "$word" = "$source" ]; then
    set -- "$@" "$lifted"
  else
    set -- "$@" "$word"
  fi
done
"$@" || exit

# The object depends on what was lifted, on tilelift and on its options as well.
[ -z "$depfile" ] || [ ! -e "$depfile" ] || {
  added=$(printf '%s\n' "$tool" "$settings" "$0" | sed 's/ /\\ /g' | tr '\n' ' ')
  added="$added$(sed -e '1s/^.*:  *//' -e 's/\\$//' "$lifted.d" | tr '\n' ' ')"
  added=$added awk '
    NR == 1 { colon = index($0, ":")
              print substr($0, 1, colon) " " ENVIRON["added"] "\\"
              $0 = substr($0, colon + 1) }
    { print }' "$depfile" >"$depfile.lifted" && mv "$depfile.lifted" "$depfile"
}
