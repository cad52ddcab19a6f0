# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two ways to lift the CUDA sources of a target.
#
#   tilelift_rewrite(<target> [OPTIONS <tilelift options>...])
#     The nvcc way: each .cu file is rewritten into the build folder and the
#     result is compiled in its place. Headers that change with it lie beside it.
#
#   tilelift_plugin(<target> [OPTIONS <plugin arguments>...])
#     The Clang way, for targets that Clang compiles, with CUDA as a language of
#     CMake's or with `-x cuda`: the plugin lifts each file in memory. A new
#     plugin rebuilds the target.
#
# Call them when the target has all its sources, include folders and definitions.

function(tilelift_rewrite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  get_target_property(sources ${target} SOURCES)
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(standard "$<TARGET_PROPERTY:${target},CUDA_STANDARD>")
  set(lifted)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cu$")
      list(APPEND lifted ${source})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(GET source FILENAME name)
    cmake_path(GET source PARENT_PATH folder)
    string(MD5 hash "${source}")
    string(SUBSTRING ${hash} 0 8 hash)
    set(output "${CMAKE_CURRENT_BINARY_DIR}/tilelift/${target}/${hash}/${name}")
    add_custom_command(
      OUTPUT "${output}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/tilelift/${target}/${hash}"
      COMMAND
        ${TILELIFT_TOOL} ${arg_OPTIONS} "${source}" -o "${output}" "--depfile=${output}.d" --
        "$<$<BOOL:${standard}>:-std=c++${standard}>"
        "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
        "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      DEPENDS "${source}" "${TILELIFT_TOOL}"
      DEPFILE "${output}.d"
      COMMENT "Lifting ${name}"
      COMMAND_EXPAND_LISTS VERBATIM)
    # Headers beside the source are still found.
    target_include_directories(${target} PRIVATE "${folder}")
    list(APPEND lifted "${output}")
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${lifted}")
  target_link_libraries(${target} PRIVATE tilelift::runtime)
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
