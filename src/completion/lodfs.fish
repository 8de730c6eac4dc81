# SPDX-License-Identifier: Apache-2.0
# Completion of lodfs for fish. The program computes the words (src/terminal/complete.c).

function __lodfs_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$typed"
        case folders
            __fish_complete_directories "$typed" ''
    end
    printf '%s\n' $lines[2..-1]
end

complete -c lodfs -f -a '(__lodfs_complete)'
