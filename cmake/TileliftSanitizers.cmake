# A build with sanitizers, as the `asan` preset makes: the shared library with them, which a process
# needs that is not built so itself, and either loads the plugin or is linked with the emulator.
set(TILELIFT_SANITIZERS "")
if(CMAKE_CXX_FLAGS MATCHES "-shared-libsan")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
    OUTPUT_VARIABLE TILELIFT_SANITIZERS OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(folder ${TILELIFT_SANITIZERS} DIRECTORY)
  add_link_options(-Wl,-rpath,${folder})
endif()
