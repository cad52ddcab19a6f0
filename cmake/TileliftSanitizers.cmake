# A build with sanitizers, as the `asan` preset makes: which shared libraries a process needs that is
# not built so itself, and either loads the plugin or is linked with the emulator.
set(TILELIFT_SANITIZERS "")
foreach(sanitizer address:asan undefined:ubsan)
  string(REPLACE ":" ";" names ${sanitizer})
  list(GET names 0 flag)
  list(GET names 1 library)
  if(CMAKE_CXX_FLAGS MATCHES "fsanitize=[a-z,]*${flag}")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${library}.so
                    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND TILELIFT_SANITIZERS ${path})
  endif()
endforeach()
list(JOIN TILELIFT_SANITIZERS ":" TILELIFT_SANITIZERS)
