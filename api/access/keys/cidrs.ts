// Address ranges as callers write them, stored in the one spelling that the gate reads.
import { isIP } from 'node:net'
import { cidrsText, parseCidrs } from '../../../shared/address.ts'
import { Refusal } from '../../http/refusal.ts'

/** Refuses what is not `address/bits`, naming the entry. */
export function readCidrs(entries: readonly string[]): string[] {
  return entries.map((entry, index) => {
    const [address = ''] = entry.split('/')
    // The parser takes spellings that people read differently, such as `010.1/8`.
    const parsed = isIP(address) === 0 ? null : parseCidrs(entry)
    if (parsed?.ok) return cidrsText(parsed.value)
    throw new Refusal('parameter_invalid', {
      param: '/cidrs/' + index,
      message: 'This field must be an address range such as 203.0.113.0/24 or 2001:db8::/32.',
    })
  })
}
