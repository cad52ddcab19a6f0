# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two ways to lift the CUDA sources of a target.
#
#   tilelift_rewrite(<target> [OPTIONS <tilelift options>...])
#     The nvcc way: `tilelift nvcc` stands in front of the compiler, rewrites each CUDA
#     source into the build folder, with the flags of the very command that it stands in,
#     and compiles the result in its place. Headers that change with it lie
#     beside it. When it is called does not matter: what the target is told later counts.
#
#   tilelift_plugin(<target> [OPTIONS <plugin arguments>...])
#     The Clang way, for targets that Clang compiles, with CUDA as a language of
#     CMake's or with `-x cuda`: the plugin lifts each file in memory. A new
#     plugin rebuilds the target.
#     Call it when the target has all its sources.

function(tilelift_rewrite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(CMAKE_VERSION VERSION_LESS 3.25 OR NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "tilelift_rewrite needs CMake 3.25, and Ninja or Make")
  endif()
  if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    message(FATAL_ERROR "tilelift_rewrite needs CUDA as a language, with nvcc as its compiler; "
                        "tilelift_plugin is for Clang")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(own ${target} TILELIFT_LAUNCHER)
  if(own)
    message(FATAL_ERROR "tilelift_rewrite is called twice for ${target}")
  endif()
  get_target_property(folder ${target} BINARY_DIR)
  set(folder "${folder}/tilelift/${target}")
  set(settings "${folder}/settings-$<CONFIG>.txt")
  file(GENERATE OUTPUT "${settings}"
       CONTENT "options=${arg_OPTIONS}
compiler=${CMAKE_CUDA_COMPILER}
target=${target}
folder=${folder}
"
       TARGET ${target})
  set(launcher "${TILELIFT_TOOL}" nvcc "--tilelift-settings=${settings}")
  set_target_properties(${target} PROPERTIES TILELIFT_LAUNCHER "${launcher}")
  # A launcher of the target's own, such as ccache, may be set until the end, and runs
  # behind this one.
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]]
                                           CALL tilelift_launch [[${target}]])")
  target_link_libraries(${target} PRIVATE tilelift::runtime)
endfunction()

# Puts tilelift in front of the target's other launchers, when all of them are known.
function(tilelift_launch target)
  get_target_property(launcher ${target} TILELIFT_LAUNCHER)
  get_target_property(others ${target} CUDA_COMPILER_LAUNCHER)
  if(others)
    list(APPEND launcher ${others})
  endif()
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()

function(tilelift_plugin target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  set(flags "-fplugin=${TILELIFT_PLUGIN}")
  foreach(option IN LISTS arg_OPTIONS)
    list(APPEND flags "-fplugin-arg-tilelift-${option}")
  endforeach()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA,CXX>:${flags}>")
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND
               PROPERTY OBJECT_DEPENDS "${TILELIFT_PLUGIN}")
endfunction()
