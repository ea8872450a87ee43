// Field 52. Chosen: the PIN translation in front of us opens the block under its keys. The block
// that arrives is ISO 9564-1 format 0: the PIN, mixed with the card's number.

const BLOCK_DIGITS = 16

/** The PIN of a block for this card, or null where the block is not one. */
export function pinOfBlock(block: Buffer, pan: string): string | null {
  const mixed = mixWithPan(block, pan).toString('hex')
  const length = Number.parseInt(mixed[1] ?? '', 16)
  if (mixed[0] !== '0' || length < 4 || length > 12) return null
  const pin = mixed.slice(2, 2 + length)
  const filler = mixed.slice(2 + length)
  return /^\d+$/.test(pin) && /^f+$/.test(filler) ? pin : null
}

/** The block of a PIN of 4 to 12 digits for a card. */
export function pinBlock(pin: string, pan: string): Buffer {
  const digits = '0' + pin.length.toString(16) + pin
  return mixWithPan(Buffer.from(digits.padEnd(BLOCK_DIGITS, 'f'), 'hex'), pan)
}

/** Both directions: the twelve digits before the check digit of the PAN, exclusive-or. */
function mixWithPan(block: Buffer, pan: string): Buffer {
  const account = Buffer.from(pan.slice(0, -1).slice(-12).padStart(BLOCK_DIGITS, '0'), 'hex')
  return Buffer.from(block.map((byte, index) => byte ^ (account[index] ?? 0)))
}
