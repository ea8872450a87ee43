// Compares the code at an address with the checked-in artifact of Settlement.
import type { Hex } from 'viem'
import { readArtifact } from './terms.ts'

/** True for our artifact's code, whatever the constructor filled in. */
export function isSettlement(code: Hex): boolean {
  const { deployed_bytecode, immutables } = readArtifact('Settlement')
  const [found, ours] = [code, deployed_bytecode].map((hex) => Buffer.from(hex.slice(2), 'hex'))
  if (found === undefined || ours === undefined || found.length !== ours.length) return false
  for (const { start, length } of immutables)
    for (const bytes of [found, ours]) bytes.fill(0, start, start + length)
  return found.equals(ours)
}
