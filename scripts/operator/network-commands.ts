// Commands with which an operator brings reports of the card network and the sponsor bank: outcomes
// of disputes, requests for evidence, clearing files.
import type { Call, Command, Document } from './caller.ts'
import { fields, table } from './show.ts'

const DISPUTES = '/operator/v1/disputes'
const FILES = '/operator/v1/clearing_files'

function text(about: string, required = true) {
  return { kind: 'text', required, about } as const
}

/**
 * Opens the file, uploads it in parts and closes it. A repetition changes nothing and answers the
 * same. The file is read whole before, because an opened file stays open in the API if its rest
 * cannot be read.
 */
async function giveFile(call: Call, given: Document): Promise<Document> {
  // The help lists this command and must not load the schema.
  const { givenParts } = await import('./clearing-lines.ts')
  const { file, ...named } = given
  for await (const _part of givenParts(String(file)));
  const opened = await call.send('POST', FILES, named)
  const path = FILES + '/' + opened['id']
  let entries = 0
  for await (const part of givenParts(String(file))) {
    await call.send('POST', path + '/parts', { ...part })
    entries += part.entries.length
  }
  return call.send('POST', path + '/close', { entries })
}

export const NETWORK_COMMANDS: readonly Command[] = [
  {
    words: 'disputes outcome',
    names: 'DISPUTE',
    about: 'Records the network’s decision on a submitted dispute.',
    fields: { outcome: text('won or lost') },
    run: (call, id, given) => call.send('POST', DISPUTES + '/' + id + '/outcome', given),
    show: fields,
  },
  {
    words: 'disputes require-evidence',
    names: 'DISPUTE',
    about: 'Asks the tenant for more evidence on behalf of the sponsor bank.',
    fields: {
      requested: text('requested evidence; the tenant reads it'),
      'due-by': text('deadline, ISO 8601 (default: in ten days)', false),
    },
    run: (call, id, given) => call.send('POST', DISPUTES + '/' + id + '/require_evidence', given),
    show: fields,
  },
  {
    words: 'clearing-files list',
    names: null,
    about: 'Clearing files of the networks, newest first.',
    fields: {
      network: text('only those of this network', false),
      'business-date': text('only those of this day', false),
      status: text('open or closed', false),
    },
    run: (call, _id, given) => call.list(FILES, given),
    show: (answer) =>
      table(answer, ['id', 'network', 'file_id', 'business_date', 'status', 'entries', 'matched']),
  },
  {
    words: 'clearing-files exceptions',
    names: 'CLEARING_FILE',
    about: 'Differences between a clearing file and the recorded messages.',
    fields: { kind: text('only those of this kind, such as amount_mismatch', false) },
    run: (call, id, given) => call.list(FILES + '/' + id + '/exceptions', given),
    show: (answer) =>
      table(answer, [
        'kind',
        'message_kind',
        'message_id',
        'in_file',
        'recorded',
        'tenant_id',
        'transaction_id',
      ]),
  },
  {
    words: 'clearing-files give',
    names: null,
    about:
      'Uploads a clearing file, compares it with the recorded messages, and prints the result.',
    fields: {
      file: text('JSON lines: message_id, kind, amount_cents, currency'),
      environment: text('sandbox or live'),
      network: text('network of the file'),
      'file-id': text('id that the network gave the file'),
      'business-date': text('day that the file covers, such as 2026-11-20'),
    },
    run: (call, _id, given) => giveFile(call, given),
    show: fields,
  },
]
