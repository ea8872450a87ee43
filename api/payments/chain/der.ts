// An ECDSA signature in DER, as browsers and key services send it.

const SEQUENCE = 0x30
const INTEGER = 0x02
const NUMBER_BYTES = 32

/** r and s, 32 bytes each, one after the other; null where the bytes are no such signature. */
export function readDer(bytes: Uint8Array): Buffer | null {
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return null
  const r = readInteger(bytes, 2)
  const s = r === null ? null : readInteger(bytes, r.end)
  if (r === null || s === null || s.end !== bytes.length) return null
  return Buffer.concat([r.value, s.value])
}

function readInteger(bytes: Uint8Array, at: number): { value: Buffer; end: number } | null {
  const length = bytes[at + 1] ?? 0
  const end = at + 2 + length
  if (bytes[at] !== INTEGER || length === 0 || end > bytes.length) return null
  let digits = bytes.subarray(at + 2, end)
  while (digits.length > 1 && digits[0] === 0) digits = digits.subarray(1)
  if (digits.length > NUMBER_BYTES) return null
  return { value: Buffer.concat([Buffer.alloc(NUMBER_BYTES - digits.length), digits]), end }
}
