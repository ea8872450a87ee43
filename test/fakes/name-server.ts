// A DNS server on loopback for tests: A and AAAA answers as told, or no answer at all. RFC 1035,
// one question a query.
import { createSocket } from 'node:dgram'
import { isIP, isIPv4 } from 'node:net'

const TYPE_A = 1
const TYPE_CNAME = 5
const TYPE_AAAA = 28
const NXDOMAIN = 3
const HEADER_BYTES = 12

export interface FakeNameServer {
  /** As `address:port`. */
  address: string
  /** Every name asked for, in order, once per query. */
  queries: string[]
  /**
   * The addresses of a name, or one other name it is an alias of; `hang` does not answer. Unknown
   * names do not exist.
   */
  names: Map<string, readonly string[] | 'hang'>
  close(): Promise<void>
}

export async function startNameServer(
  names: { readonly [name: string]: readonly string[] | 'hang' } = {},
): Promise<FakeNameServer> {
  const socket = createSocket('udp4')
  const known = new Map(Object.entries(names))
  const queries: string[] = []
  socket.on('message', (query, client) => {
    const { name, end } = nameAt(query, HEADER_BYTES)
    queries.push(name)
    const addresses = known.get(name)
    if (addresses === 'hang') return
    const records = recordsOf(name, query.readUInt16BE(end), known)
    const head = Buffer.from(query.subarray(0, HEADER_BYTES))
    head.writeUInt16BE(0x8180 | (addresses === undefined ? NXDOMAIN : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    const question = query.subarray(HEADER_BYTES, end + 4)
    socket.send(Buffer.concat([head, question, ...records]), client.port)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: '127.0.0.1:' + socket.address().port,
    queries,
    names: known,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** The name in lower case (resolvers vary the case on purpose) and the index after it. */
function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** The answer for an alias includes the records of its target, as recursive servers do. */
function recordsOf(
  name: string,
  wanted: number,
  known: ReadonlyMap<string, readonly string[] | 'hang'>,
): Buffer[] {
  const addresses = known.get(name)
  if (addresses === undefined || addresses === 'hang') return []
  return addresses.flatMap((address) => {
    if (isIP(address) === 0) {
      return [record(name, TYPE_CNAME, nameBytes(address)), ...recordsOf(address, wanted, known)]
    }
    const type = isIPv4(address) ? TYPE_A : TYPE_AAAA
    if (type !== wanted) return []
    const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address)
    return [record(name, type, data)]
  })
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(name), fixed, data])
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label)
  return Buffer.from(labels.join('') + '\0', 'latin1')
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left
  return Buffer.concat(groups.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
