#!/usr/bin/env bash
# Compiles one kernel for every collective, algorithm, cluster size and payload
# into a folder that a GPU machine can run:
#   benchmark/collectives/build.sh [OUT=benchmark/artefacts-collectives]
# Every kernel executes its collective many times in a loop, in blocks of 128
# threads, checks what it gives and stores the cycles of one execution, several
# times over. OUT/predicted.tsv has what --cluster-traffic says, and why a cell
# is left out. In the environment, COLLECTIVES, CLUSTERS and PAYLOADS choose
# cells (in_block is the reduction within a block alone, by default of 4 bytes),
# EMIT=cubin assembles with ptxas, BUILD_DIR names the build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${BUILD_DIR:-$here/../../build}/bin
out=${1:-$here/../artefacts-collectives}
for tool in cascade-compile cascade-opt cascade-launch; do
  if [ ! -x "$bin/$tool" ]; then
    echo "error: no $bin/$tool; run tools/build.sh or set BUILD_DIR" >&2
    exit 2
  fi
done
read -ra clusters <<<"${CLUSTERS:-2 4 8 16}"
read -ra payloads <<<"${PAYLOADS:-4 8 64 1024 8192 65536}"
on_tuples="all_reduce reduce reduce_scatter all_gather gather broadcast"
read -ra collectives <<<"${COLLECTIVES:-in_block $on_tuples slice.${on_tuples// / slice.}}"
threads=128
rounds=64
samples=8
emit=${EMIT:-ptx}

# algorithms_of COLLECTIVE
algorithms_of() {
  case $1 in
  all_reduce) echo mailbox tree ring scatter global ;;
  reduce | broadcast) echo mailbox tree global ;;
  all_gather) echo mailbox ring global ;;
  reduce_scatter | gather) echo mailbox global ;;
  slice.broadcast) echo mailbox tree ;;
  slice.all_gather) echo mailbox ring ;;
  slice.all_reduce) echo scatter ring ;;
  slice.reduce) echo scatter mailbox ;;
  slice.reduce_scatter) echo scatter ;;
  *) echo mailbox ;;
  esac
}

# groups_of BYTES: the lanes and warps of a group, and the words of its tuple, 16
# where there are as many.
groups_of() {
  local words=$(($1 / 4 < 16 ? $1 / 4 : 16))
  local groups=$(($1 / 4 / words))
  if [ "$groups" -le 32 ]; then
    echo $((32 / groups)) 4 "$words"
  else
    echo 1 $((threads / groups)) "$words"
  fi
}

# tuple_loop COLLECTIVE ALGORITHM BLOCKS BYTES: the lines around the collective,
# whose input is %v and whose result becomes %next.
tuple_loop() {
  local lanes warps words suffix="" result
  read -r lanes warps words <<<"$(groups_of "$4")"
  type="vector<${words}xf32>"
  local participants="scope(cluster) algorithm($2) lanes($lanes) warps($warps)"
  [ "$2" = global ] && participants+=" workspace(%w : memref<?xi32>)"
  local gathered="vector<$((words * $3))xf32>"
  local slice="vector<$((words / $3))xf32>"
  case $1 in
  in_block) body="%next = cluster.all_reduce(%v) scope(block) lanes($lanes) warps($warps) kind(max) : $type" ;;
  all_reduce) body="%next = cluster.all_reduce(%v) $participants kind(max) : $type" ;;
  reduce) body="%next = cluster.reduce(%v) $participants root(0) kind(max) : $type" ;;
  broadcast) body="%next = cluster.broadcast(%v) $participants root(0) : $type" ;;
  reduce_scatter) body="%r = cluster.reduce(%v) $participants scatter kind(max) : ($type) -> $slice
        %first_of_r = vector.extract %r[0] : f32 from $slice
        %next = vector.insert %first_of_r, %v [0] : f32 into $type" ;;
  all_gather | gather)
    [ "$1" = gather ] && suffix=" root(0)"
    body="%r = cluster.$1(%v) $participants$suffix : ($type) -> $gathered
        %first_of_r = vector.extract %r[0] : f32 from $gathered
        %next = vector.insert %first_of_r, %v [0] : f32 into $type"
    ;;
  esac
}

# slice_body COLLECTIVE ALGORITHM BYTES
slice_body() {
  local op=${1#slice.} buffer="memref<$(($3 / 4))xf32, #gpu.address_space<workgroup>>"
  case $op in
  all_reduce) body="cluster.slice.all_reduce %buffer algorithm($2) kind(max) : $buffer" ;;
  reduce) body="cluster.slice.reduce %buffer algorithm($2) root(0) kind(max) : $buffer" ;;
  reduce_scatter) body="cluster.slice.reduce %buffer algorithm($2) scatter kind(max) : $buffer" ;;
  all_gather) body="cluster.slice.all_gather %buffer algorithm($2) : $buffer" ;;
  gather | broadcast) body="cluster.slice.$op %buffer algorithm($2) root(0) : $buffer" ;;
  esac
}

# expected_of COLLECTIVE BLOCKS: the first word in rank 0. A thread starts with its
# block's rank less its number; a reduction takes the largest.
expected_of() {
  case $1 in
  *reduce*) echo $(($2 - 1)).0 ;;
  *) echo 0.0 ;;
  esac
}

# write_kernel NAME COLLECTIVE ALGORITHM BLOCKS BYTES: the module; the loop runs
# once to warm up, and then for every sample.
write_kernel() {
  local name=$1 workgroup="" fill="" type=f32 body yield begin word workspace=""
  [ "$3" = global ] && workspace=", %w: memref<?xi32>"
  if [[ $2 == slice.* ]]; then
    slice_body "$2" "$3" "$5"
    local attribute=""
    [ "$5" -ge 49152 ] && attribute=" {cluster.dynamic}"
    local buffer="memref<$(($5 / 4))xf32, #gpu.address_space<workgroup>>"
    workgroup=" workgroup(%buffer: $buffer$attribute)"
    fill="scf.for %e = %tid to %length step %threads {
      memref.store %start, %buffer[%e] : $buffer
    }"
    begin="%value = arith.addf %start, %start : f32"
    yield=%v
    word="%word = memref.load %buffer[%c0] : $buffer"
  else
    tuple_loop "$2" "$3" "$4" "$5"
    begin="%value = vector.broadcast %start : f32 to $type"
    yield=%next
    word="%word = vector.extract %done[0] : f32 from $type"
  fi
  cat <<MLIR
gpu.module @cascade_kernels {
  gpu.func @$name(%out: !llvm.ptr<1>$workspace)$workgroup kernel
      attributes {known_block_size = array<i32: $threads, 1, 1>,
                  known_cluster_size = array<i32: $4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %passes = arith.constant $((samples + 1)) : index
    %rounds = arith.constant $rounds : index
    %threads = arith.constant $threads : index
    %length = arith.constant $(($5 / 4)) : index
    %tid = gpu.thread_id x
    %rank = cluster.rank : i32
    %rank0 = arith.constant 0 : i32
    // Another value in every thread: assemblers know that shuffles of equal
    // ones change nothing.
    %thread = arith.index_cast %tid : index to i32
    %number = arith.subi %rank, %thread : i32
    %start = arith.sitofp %number : i32 to f32
    %is_rank0 = arith.cmpi eq, %rank, %rank0 : i32
    %is_thread0 = arith.cmpi eq, %tid, %c0 : index
    %is_first = arith.andi %is_rank0, %is_thread0 : i1
    %block = gpu.block_id x
    %size = arith.constant $4 : index
    %cluster = arith.divui %block, %size : index
    %samples = arith.constant $samples : index
    %row = arith.muli %cluster, %samples : index
    $fill
    $begin
    %last = scf.for %pass = %c0 to %passes step %c1 iter_args(%first = %value) -> ($type) {
      %t0 = llvm.inline_asm has_side_effects "mov.u64 \$0, %clock64;", "=l,~{memory}" : () -> i64
      %done = scf.for %round = %c0 to %rounds step %c1 iter_args(%v = %first) -> ($type) {
        $body
        scf.yield $yield : $type
      }
      %t1 = llvm.inline_asm has_side_effects "mov.u64 \$0, %clock64;", "=l,~{memory}" : () -> i64
      %cycles = arith.subi %t1, %t0 : i64
      %n = arith.constant $rounds : i64
      %each = arith.divui %cycles, %n : i64
      $word
      %expected = arith.constant $(expected_of "$2" "$4") : f32
      %right = arith.cmpf oeq, %word, %expected : f32
      %wrong = arith.constant -1 : i64
      %shown = arith.select %right, %each, %wrong : i64
      %is_measured = arith.cmpi ne, %pass, %c0 : index
      %stores = arith.andi %is_first, %is_measured : i1
      scf.if %stores {
        %sample = arith.subi %pass, %c1 : index
        %place = arith.addi %row, %sample : index
        %at = arith.index_cast %place : index to i64
        %to = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
        llvm.store %shown, %to : i64, !llvm.ptr<1>
      }
      scf.yield %done : $type
    }
    gpu.return
  }
}
MLIR
}

# write_manifest NAME BLOCKS SHARED WORKSPACE LABEL COUNT...: one function for each
# number of clusters at once; its output bears the name of the cell. WORKSPACE is
# the bytes that a cluster may use, or 0.
write_manifest() {
  local name=$1 blocks=$2 shared=$3 words=$(($4 / 4)) label=$5 separator="" count
  local workspace="" parameters='{"arg": 0}'
  shift 5
  echo "{\"version\": 1, \"name\": \"$name\", \"target\": {\"chip\": \"sm_90\", \"gpu\": \"h200\"},"
  echo " \"module\": \"$name.$emit\", \"functions\": ["
  for count in "$@"; do
    if [ "$words" -gt 0 ]; then
      workspace="\"workspace\": {\"bytes\": $((count * words * 4)), \"init\": \"none\"},"
      # A memref: two pointers, offset, size, stride.
      parameters='{"arg": 0}, {"workspace": 0}, {"workspace": 0}, {"dim": 0, "type": "i64"}, '
      parameters+="{\"dim\": $((count * words)), \"type\": \"i64\"}, {\"dim\": 1, \"type\": \"i64\"}"
    fi
    echo "$separator  {\"name\": \"${name}_c$count\", \"arguments\": ["
    echo "    {\"name\": \"$label/$count\", \"role\": \"output\", \"type\": \"i64\", \"shape\": [$count, $samples]}], $workspace"
    echo "   \"launches\": [{\"kernel\": \"$name\", \"grid\": [$((count * blocks)), 1, 1],"
    echo "     \"block\": [$threads, 1, 1], \"cluster\": [$blocks, 1, 1],"
    echo "     \"nonportable\": $([ "$blocks" -gt 8 ] && echo true || echo false),"
    echo "     \"shared\": $shared, \"args\": [$parameters]}]}"
    separator=","
  done
  echo "]}"
}

# predict FILE ALGORITHM: bytes, messages, rounds, cycles, tab separated.
predict() {
  "$bin/cascade-opt" "$1" --cluster-traffic=json=- -o /dev/null | tr '{' '\n' |
    sed -nE 's/^"algorithm":"'"$2"'","bytes":([0-9]+),"cycles":([0-9]+),"messages":([0-9]+),"rounds":([0-9]+).*/\1\t\3\t\4\t\2/p'
}

mkdir -p "$out"
rm -f "$out"/*.{mlir,ptx,cubin,json}
printf 'cell\tbytes\tmessages\trounds\tcycles\tleft out\n' >"$out/predicted.tsv"
built=0
left_out=0
for collective in "${collectives[@]}"; do
  for algorithm in $(algorithms_of "$collective"); do
    for blocks in "${clusters[@]}"; do
      for bytes in "${payloads[@]}"; do
        [[ $collective == in_block && -z ${COLLECTIVES:-} && $bytes -ne 4 ]] && continue
        label=$collective/$algorithm/$blocks/$bytes
        name=$(tr './' '__' <<<"$label")
        file=$out/$name.mlir
        if ! message=$(
          set -e
          if [[ $collective == slice.* && $((bytes % (16 * blocks))) -ne 0 ]]; then
            echo "error: a slice is a multiple of 16 bytes"
            exit 1
          fi
          if [[ $collective != slice.* && $bytes -gt 8192 ]]; then
            echo "error: more than 64 bytes a thread"
            exit 1
          fi
          if [[ $collective == reduce_scatter && $((bytes / 4)) -lt $blocks ]]; then
            echo "error: a slice is at least a word"
            exit 1
          fi
          write_kernel "$name" "$collective" "$algorithm" "$blocks" "$bytes" >"$file"
          "$bin/cascade-compile" "$file" --emit="$emit" -o "$out/$name" 2>&1
        ); then
          reason=$(grep -m 1 error: <<<"$message" || head -n 1 <<<"$message")
          printf '%s\t-\t-\t-\t-\t%s\n' "$label" "${reason##*error: }" >>"$out/predicted.tsv"
          left_out=$((left_out + 1))
          rm -f "$out/$name".*
          continue
        fi
        shared=0
        [[ $collective == slice.* && $bytes -ge 49152 ]] && shared=$bytes
        workspace=0
        # Two sets of the tuples of all ranks, and of a slice for each.
        [ "$algorithm" = global ] && workspace=$((2 * bytes * blocks * blocks))
        counts=(4)
        [ "$blocks" -eq 4 ] && counts=(4 8 32 128)
        write_manifest "$name" "$blocks" "$shared" "$workspace" "$label" "${counts[@]}" >"$out/$name.json"
        printf '%s\t%s\t\n' "$label" "$(predict "$file" "$algorithm")" >>"$out/predicted.tsv"
        built=$((built + 1))
      done
    done
  done
done
cp "$bin/cascade-launch" "$here/run.sh" "$here/table.awk" "$out/"
echo "$built kernels in $out, $left_out left out"
[ "$built" -gt 0 ]
