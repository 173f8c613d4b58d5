# What `cmake --install` puts where: program, library, headers, models, CMake package, pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CATENA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Catena)
set(CATENA_MODELS_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/catena/models)

set_target_properties(catena_core PROPERTIES EXPORT_NAME core)
target_compile_features(catena_core PUBLIC cxx_std_20)
add_library(Catena::core ALIAS catena_core)
install(TARGETS catena_core EXPORT CatenaCoreTargets)
install(EXPORT CatenaCoreTargets NAMESPACE Catena:: DESTINATION ${CATENA_PACKAGE_DIR})
set(headers support scalar spatial model kinematics formulations motion batch)

if(TARGET catena_readers)
  # Catena::catena is everything that is installed.
  add_library(catena_everything INTERFACE)
  target_link_libraries(catena_everything INTERFACE catena_readers catena_core)
  set_target_properties(catena_everything PROPERTIES EXPORT_NAME catena)
  set_target_properties(catena_readers PROPERTIES EXPORT_NAME readers)
  add_library(Catena::catena ALIAS catena_everything)
  install(TARGETS catena_readers catena_everything EXPORT CatenaReadersTargets)
  install(EXPORT CatenaReadersTargets NAMESPACE Catena:: DESTINATION ${CATENA_PACKAGE_DIR})
  install(FILES ${CMAKE_SOURCE_DIR}/src/catena/readers/readers.hpp
    ${CMAKE_SOURCE_DIR}/src/catena/readers/quantity.hpp
    ${CMAKE_SOURCE_DIR}/src/catena/readers/spacelib.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena/readers)
  list(APPEND headers data)
endif()

install(FILES ${CMAKE_SOURCE_DIR}/src/catena/dynamics.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena)
foreach(folder ${headers})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/catena/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena FILES_MATCHING PATTERN *.hpp
    PATTERN validate_parts.hpp EXCLUDE PATTERN table_reader.hpp EXCLUDE PATTERN lanes EXCLUDE)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/ DESTINATION ${CATENA_MODELS_INSTALL_DIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/papers/ DESTINATION ${CMAKE_INSTALL_DATADIR}/catena/papers)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Builds what is installed and nothing else.
add_custom_target(install_parts DEPENDS ${catena_targets} $<TARGET_NAME_IF_EXISTS:catena_readers>
  $<TARGET_NAME_IF_EXISTS:catena>)
if(TARGET catena)
  install(TARGETS catena RUNTIME)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/CatenaConfig.cmake.in CatenaConfig.cmake
  INSTALL_DESTINATION ${CATENA_PACKAGE_DIR} PATH_VARS CATENA_MODELS_INSTALL_DIR)
write_basic_package_version_file(CatenaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/CatenaConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/CatenaConfigVersion.cmake DESTINATION ${CATENA_PACKAGE_DIR})

# A static library brings its own needs into every link.
file(RELATIVE_PATH CATENA_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" CATENA_PC_TO_PREFIX "${CATENA_PC_TO_PREFIX}")
set(own "-lcatena_core -pthread")
set(others "")
if(TARGET catena_readers)
  set(own "-lcatena_readers -lcatena_core -pthread")
  set(others " -lyaml-cpp -ltinyxml2 -lfmt")
endif()
if(BUILD_SHARED_LIBS)
  set(CATENA_PC_DEPENDENCIES "Libs: -L\${libdir} ${own}\nLibs.private:${others}")
else()
  set(CATENA_PC_DEPENDENCIES "Libs: -L\${libdir} ${own}${others}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/catena.pc.in catena.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/catena.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
