# What `make install` copies. Nothing in it knows the prefix: the tree may be moved afterwards.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS taut LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(FILES ${TAUT_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES ${TAUT_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/taut COMPONENT development)

# What a program needs that links the archive; what is not where compilers look anyway, as a file.
set(TAUT_PRIVATE "")
foreach(library ${KLU_LIBRARY} ${AMD_LIBRARY})
  get_filename_component(folder ${library} DIRECTORY)
  if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    get_filename_component(library ${library} NAME_WE)
    string(REGEX REPLACE "^lib" "-l" library ${library})
  endif()
  list(APPEND TAUT_PRIVATE ${library})
endforeach()
list(JOIN TAUT_PRIVATE " " TAUT_PRIVATE_WORDS)

file(RELATIVE_PATH TAUT_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(tools/taut.pc.in ${PROJECT_BINARY_DIR}/install/taut.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/taut.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

set(TAUT_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/taut)
configure_package_config_file(tools/taut-config.cmake.in ${PROJECT_BINARY_DIR}/install/taut-config.cmake
  INSTALL_DESTINATION ${TAUT_CONFIG_FOLDER} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/taut-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/taut-config.cmake ${PROJECT_BINARY_DIR}/install/taut-config-version.cmake
        DESTINATION ${TAUT_CONFIG_FOLDER} COMPONENT development)

install(TARGETS taut_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
file(GLOB MAN_PAGES CONFIGURE_DEPENDS man/*.1)
install(FILES ${MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
# The papers' experiments and the models they run: `taut reproduce` looks for them beside the program and here.
install(DIRECTORY models reproduce DESTINATION ${CMAKE_INSTALL_DATADIR}/taut COMPONENT command)
install(FILES tools/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME taut
        COMPONENT command)
install(FILES tools/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _taut COMPONENT command)
install(FILES tools/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME taut.fish
        COMPONENT command)
