// One remark a reduction, of the category cascade-fuse: passed, or missed with
// the rule, the sub-expression, the reason and a suggestion.
// RUN: cascade-opt %s --cascade-fuse --remarks-filter-passed=cascade-fuse \
// RUN:   --remarks-filter-missed=cascade-fuse --verify-diagnostics -o /dev/null
// RUN: cascade-opt %s --cascade-fuse --remarks-filter-missed=cascade-fuse \
// RUN:   --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml

// YAML:     --- !Missed
// YAML:     Pass: {{.*}}cascade-fuse
// YAML:     Name: {{.*}}reduction
// YAML:     Function: {{.*}}mean_absolute_deviation
// YAML-NOT: --- !

func.func @mean_absolute_deviation(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    // expected-remark-re @+1 {{[Passed] reduction {{.*}}Function=mean_absolute_deviation{{.*}}independent}}
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %a = math.absf %d : f32
    // expected-remark-re @+1 {{[Missed] reduction {{.*}}Function=mean_absolute_deviation{{.*}}not-separable{{.*}}abs(x0{{.*}}does not pass a factor through{{.*}}run it in a pass of its own}}
    %s = cascade.reduce add %a over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
