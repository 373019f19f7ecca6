// The exponent is doubled nine times: 512 addends x - m, more than the split test
// takes apart.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"{{.*}}r0{{.*}}","class":"refused","index":1,"kind":"add"
// CHECK-SAME: "pass":1,
// CHECK-SAME: "reason":"a sum has more than 256 addends of earlier results"
// CHECK-SAME: "rule":"too-many-terms"
func.func @doubled(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d0 = arith.subf %e, %m : f32
    %d1 = arith.addf %d0, %d0 : f32
    %d2 = arith.addf %d1, %d1 : f32
    %d3 = arith.addf %d2, %d2 : f32
    %d4 = arith.addf %d3, %d3 : f32
    %d5 = arith.addf %d4, %d4 : f32
    %d6 = arith.addf %d5, %d5 : f32
    %d7 = arith.addf %d6, %d6 : f32
    %d8 = arith.addf %d7, %d7 : f32
    %d9 = arith.addf %d8, %d8 : f32
    %w = math.exp %d9 : f32
    %s = cascade.reduce add %w over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// (x - mu)^9, written out.
// MORE: "name": "ninth_power"{{.*}}"passes":{"l":2}
// MORE: "at":"(x0 - r0 / arith.sitofp(p0)) * (x0 - r0 / arith.sitofp(p0)) {{.*}}","class":"refused","index":1,
// MORE-SAME: "reason":"written out, it is a sum of more than 256 terms, or of a power above 8"
// MORE-SAME: "rule":"too-many-terms"
func.func @ninth_power(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %times1 = arith.mulf %times, %times : f32
    %times2 = arith.mulf %times, %times : f32
    %times3 = arith.mulf %times1, %times2 : f32
    %times4 = arith.mulf %times3, %minus : f32
    %sum1 = cascade.reduce add %times4 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// The product of four squared deviations: 81 sums.
// MORE: "name": "four_centres"{{.*}}"passes":{"l":2}
// MORE: "at":"(x0 - r0 / arith.sitofp(p3)) * (x0 - r0 / arith.sitofp(p3)) {{.*}}","class":"refused","index":4,
// MORE-SAME: "reason":"it takes more accumulators than a pass can keep in registers"
// MORE-SAME: "rule":"too-many-terms"
func.func @four_centres(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>, %z[i, l] : tensor<?x?xf32>, %w[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32, %ze: f32, %we: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %n1 = cascade.extent l : i32
    %count1 = arith.sitofp %n1 : i32 to f32
    %sum1 = cascade.reduce add %ye over (l) : f32
    %over1 = arith.divf %sum1, %count1 : f32
    %minus1 = arith.subf %ye, %over1 : f32
    %times1 = arith.mulf %minus1, %minus1 : f32
    %times2 = arith.mulf %times, %times1 : f32
    %n2 = cascade.extent l : i32
    %count2 = arith.sitofp %n2 : i32 to f32
    %sum2 = cascade.reduce add %ze over (l) : f32
    %over2 = arith.divf %sum2, %count2 : f32
    %minus2 = arith.subf %ze, %over2 : f32
    %times3 = arith.mulf %minus2, %minus2 : f32
    %times4 = arith.mulf %times2, %times3 : f32
    %n3 = cascade.extent l : i32
    %count3 = arith.sitofp %n3 : i32 to f32
    %sum3 = cascade.reduce add %we over (l) : f32
    %over3 = arith.divf %sum3, %count3 : f32
    %minus3 = arith.subf %we, %over3 : f32
    %times5 = arith.mulf %minus3, %minus3 : f32
    %times6 = arith.mulf %times4, %times5 : f32
    %sum4 = cascade.reduce add %times6 over (l) : f32
    cascade.yield %sum4 : f32
  }
  return %r0 : tensor<?xf32>
}
