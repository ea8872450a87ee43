// The preview of a template in a frame: the page that the API draws, under a policy of its own.
import { hash } from 'node:crypto'
import { html } from '../../../shared/html.ts'
import {
  type Call,
  call,
  FieldProblem,
  type FileDefinition,
  type Problem,
  Refused,
  type Visit,
} from '../page.ts'

type Drawn = 'getPassTemplatePreview' | 'previewPassTemplate' | 'previewPassTemplates'

export const preview: FileDefinition = {
  method: 'GET',
  path: '/templates/:id/preview',
  view: (at) => drawn(at, call('getPassTemplatePreview', { id: at.params['id'] ?? '' })),
}

/** A preview of content that may be wrong: the frame then says how. */
export async function framedPreview(
  at: Visit,
  asked: () => Promise<Call<Drawn>>,
): Promise<{ policy: string; text: string }> {
  try {
    return await drawn(at, await asked())
  } catch (error) {
    if (error instanceof FieldProblem) return problemFrame(error.field, error.message)
    if (!(error instanceof Refused) || error.problem.status >= 500) throw error
    const { param, message }: Problem = error.problem
    return problemFrame(param, message)
  }
}

async function drawn(at: Visit, asked: Call<Drawn>): Promise<{ policy: string; text: string }> {
  const text = await at.need(asked)
  return { policy: policyOf(text), text }
}

/** The policy of a page that runs its own style sheets, and nothing else. */
function policyOf(text: string): string {
  const sheets = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, sheet = '']) => "'sha256-" + hash('sha256', sheet, 'base64') + "'",
  )
  return (
    "default-src 'none'; img-src data:; frame-ancestors 'self'; sandbox; style-src " +
    (sheets.length === 0 ? "'none'" : sheets.join(' '))
  )
}

/** Its ground hides the skeleton of the frame. */
function problemFrame(param: string | null, message: string): { policy: string; text: string } {
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>No preview</title><style>html { background: Canvas; font: 14px/1.45 system-ui, sans-serif }</style></head>
<body><p>${message}</p>${param === null ? null : html`<p>Field: <code>${param}</code></p>`}</body></html>
`
  return { policy: policyOf(text), text }
}
