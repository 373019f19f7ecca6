# The two kinds of library of this project.

# cascade_library(NAME SOURCES... [LINK CascadeX...] [TABLEGEN target...] [MLIR MLIRX...])
#
# A static library that may use MLIR. MLIR itself comes from the one shared
# library, so the MLIR components only name what a library uses.
function(cascade_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;TABLEGEN;MLIR" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  mlir_target_link_libraries(${name} PUBLIC MLIRIR ${ARG_MLIR})
  target_link_libraries(${name} PUBLIC LLVM)
  llvm_update_compile_flags(${name})
  if(ARG_TABLEGEN)
    add_dependencies(${name} ${ARG_TABLEGEN})
  endif()
  # Headers of linked libraries include generated files.
  add_dependencies(${name} cascade-headers)
  if(TARGET cascade_pch)
    target_precompile_headers(${name} REUSE_FROM cascade_pch)
  endif()
endfunction()

# cascade_plain_library(NAME SOURCES... [LINK CascadeX...])
#
# A static library that uses no header and no symbol of LLVM or MLIR.
function(cascade_plain_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  # Numbers must not depend on the machine that compiled them.
  target_compile_options(${name} PRIVATE -ffp-contract=off -fno-fast-math)
endfunction()

# cascade_tool(NAME SOURCES... [LINK CascadeX...] [MLIR MLIRX...])
function(cascade_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;MLIR" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  mlir_target_link_libraries(${name} PRIVATE MLIRIR ${ARG_MLIR})
  target_link_libraries(${name} PRIVATE LLVM)
  llvm_update_compile_flags(${name})
  add_dependencies(${name} cascade-headers)
endfunction()
