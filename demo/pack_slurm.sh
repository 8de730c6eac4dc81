#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs a folder on the machines of a Slurm cluster, in N parts; SOURCE and STORE are on a file
# system that all of them have. Options of pack follow the store.
#   pack_slurm.sh N SOURCE STORE [OPTIONS ..]
# Slurm starts the parts when the plan is made, and makes the store when all parts are done. It
# prints the numbers of the three jobs. To continue after a failure, run it again.
set -eu
n=$1 source=$2 store=$3
shift 3
export LODFS="${LODFS:-lodfs}" SOURCE="$source" STORE="$store" N="$n"

# job NAME SCRIPT OPTIONS-OF-SBATCH .. : submits a job that runs SCRIPT with the options of pack.
submit()
{
    name=$1 script=$2
    shift 2
    sbatch --parsable --job-name="lodfs-$name" --output="$STORE.$name.%j.%a.log" "$@" <<JOB
#!/bin/sh
set -eu
set -- $words
$script
JOB
}

words=''
for word in "$@"; do # quoted for the shell of the job
    words="$words '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done
plan=$(submit plan 'exec "$LODFS" pack --plan "$@" "$SOURCE" "$STORE"')
parts=$(submit part 'exec "$LODFS" pack "--part=$SLURM_ARRAY_TASK_ID/$N" "$@" "$SOURCE" "$STORE"' \
    --array="1-$n" --dependency="afterok:$plan" --kill-on-invalid-dep=yes)
store=$(submit store 'exec "$LODFS" pack "$@" "$SOURCE" "$STORE"' \
    --dependency="afterok:$parts" --kill-on-invalid-dep=yes)
echo "plan $plan, parts $parts, store $store"
