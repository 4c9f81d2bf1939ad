# SPDX-License-Identifier: Apache-2.0
# The launch mechanism: filter programs and init built first and embedded, then the launcher.

# The seccomp programs, exported by a generator that links libseccomp; ethos-run itself does not.
add_executable(generate_filters filter/generate.cc)
target_link_libraries(generate_filters PRIVATE ethos_options PkgConfig::SECCOMP)
set(ETHOS_FILTERS ${CMAKE_CURRENT_BINARY_DIR}/seccomp_programs.inc)
add_custom_command(OUTPUT ${ETHOS_FILTERS}
  COMMAND generate_filters ${ETHOS_FILTERS}
  DEPENDS generate_filters VERBATIM)

# Pid 1 of the cage: freestanding, no libc, a fixed address (nothing in it is worth hiding).
set(ETHOS_INIT ${CMAKE_CURRENT_BINARY_DIR}/ethos-init)
add_custom_command(OUTPUT ${ETHOS_INIT}
  COMMAND ${CMAKE_C_COMPILER} -std=gnu11 -Os -ffreestanding -nostdlib -static -fno-pie
    -fno-stack-protector -fno-asynchronous-unwind-tables -Wall -Wextra -Werror
    -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,norelro -Wl,-z,max-page-size=4096 -s
    -I${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/init/init.c -o ${ETHOS_INIT}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/init/init.c ${CMAKE_CURRENT_SOURCE_DIR}/init/init_report.h
  VERBATIM)

target_sources(ethos_sandbox PRIVATE
  address_text.cc audit_denial.cc audit_record.cc audit_source.cc audit_watch.cc based_path.cc beneath.cc blueprint.cc boottime.cc call_burst.cc cage.cc cage_object.cc cgroup.cc child.cc child_channel.cc child_copy.cc child_layers.cc child_mounts.cc
  child_probes.cc child_restrict.cc child_site.cc clone_child.cc coalescer.cc commit_journal.cc commit_rules.cc commit_steps.cc compare.cc denial.cc doctor.cc elf_loader.cc exec_check.cc grant_index.cc host_paths.cc host_signs.cc
  hostile_name.cc staged_commit.cc upper_walk.cc copy_base.cc copy_walk.cc file_attributes.cc file_limit.cc layer_walk.cc grant_outputs.cc
  id_mapping.cc init_image.cc input_pump.cc io_limit.cc interruption.cc judge.cc judge_exec.cc judge_filter.cc judge_paths.cc judge_uses.cc judge_withheld.cc launch.cc launch_streams.cc limit_watch.cc listener.cc mountinfo.cc output.cc
  path_calls.cc path_walk.cc probe.cc proc_dir.cc proc_status.cc process_watch.cc quick_look.cc readback.cc ruleset.cc sha256.cc shared_memory.cc signal_guard.cc small_limits.cc socket_memory.cc mapping_memory.cc mask_index.cc mask_watch.cc staged_file.cc steps.cc
  syscall_filter.cc task_list.cc tool_memory.cc tree_use.cc watch.cc)
set_source_files_properties(init_image.cc PROPERTIES OBJECT_DEPENDS ${ETHOS_INIT}
  COMPILE_DEFINITIONS ETHOS_INIT_FILE="${ETHOS_INIT}")
set_source_files_properties(syscall_filter.cc PROPERTIES OBJECT_DEPENDS ${ETHOS_FILTERS}
  COMPILE_DEFINITIONS ETHOS_FILTERS_FILE="${ETHOS_FILTERS}")
