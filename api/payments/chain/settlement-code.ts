// Compares the code at an address with the checked-in artifacts of Settlement: ours, and that of an
// earlier release, which holders' accounts belong to and which takes the same calls.
import type { Hex } from 'viem'
import { readArtifact } from './terms.ts'

const KNOWN = (['Settlement', 'Settlement-1'] as const).map((name) => {
  const { deployed_bytecode, immutables } = readArtifact(name)
  return { code: withoutImmutables(deployed_bytecode, immutables), immutables }
})

/** True for the code of one of our artifacts, whatever its constructor filled in. */
export function isSettlement(code: Hex): boolean {
  const length = code.length / 2 - 1
  return KNOWN.some(
    (known) =>
      length === known.code.length && withoutImmutables(code, known.immutables).equals(known.code),
  )
}

function withoutImmutables(
  code: Hex,
  immutables: readonly { start: number; length: number }[],
): Buffer {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (const { start, length } of immutables) bytes.fill(0, start, start + length)
  return bytes
}
