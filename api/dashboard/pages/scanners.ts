// Scanners: which devices read passes?
import { html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { field, form } from '../parts/form.ts'
import { seconds } from '../parts/moment.ts'

export const scanners = list({
  path: '/scanners',
  title: 'Scanners',
  menu: { group: 'Passes', label: 'Scanners' },
  operation: 'listScanners',
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Id', cell: ({ id }) => html`<code>${id}</code>` },
    { label: 'External id', cell: ({ external_id: id }) => id },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  empty: 'No scanner is registered. Each device that reads passes has one.',
  create: { path: '/scanners/new', label: 'Register a scanner', operation: 'createScanner' },
})

function newForm(at: Visit, sent: Form | null, problem: Problem | null): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const fields = html`${field({ name: 'name', label: 'Name', hint: 'for people', value: value('name'), required: true })}${field({ name: 'external_id', label: 'External id', hint: 'optional', value: value('external_id') })}`
  return {
    title: 'Register a scanner',
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>Register a scanner</h1><p>The device sends its id with each pass that it reads.</p></header><section class="panel narrow">${form({ action: at.to('/scanners/new'), fields, button: { label: 'Register the scanner' }, problem })}</section>`,
  }
}

export const newScanner = page({
  path: '/scanners/new',
  title: 'Register a scanner',
  operations: ['createScanner'],
  view: (at) => newForm(at, null, null),
})

export const makeScanner = action({
  path: '/scanners/new',
  label: 'Register a scanner.',
  operation: 'createScanner',
  done: 'The scanner is registered.',
  input: (sent) => ({
    name: sent('name'),
    ...(sent('external_id') === '' ? {} : { external_id: sent('external_id') }),
  }),
  next: () => '/scanners',
  again: async (at, sent, problem) => newForm(at, sent, problem),
})
