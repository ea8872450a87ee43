// Shards over etcd, all of whose processes share the processors and the disk of this machine: the
// figures say nothing about the rate of three machines.
import { measureCatchUp } from './cluster/catch-up.ts'
import { measureDoor } from './cluster/door-cards.ts'
import { measureEtcdFile } from './cluster/etcd-file.ts'
import { measureShards } from './cluster/shards.ts'
import { measureTakeOver } from './cluster/take-over.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'

export const CLUSTER: Measured = {
  name: 'cluster',
  seconds: { full: 2900, quick: 300 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  return measureParts([
    ['take-over', () => measureTakeOver(options)],
    ['shards', () => measureShards(options)],
    ['catch-up', () => measureCatchUp(options)],
    ['door', () => measureDoor(options)],
    ['etcd-file', () => measureEtcdFile(options)],
  ])
}
