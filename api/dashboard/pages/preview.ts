// The preview of a template in a frame: the page that the API draws, under a policy of its own.
import { hash } from 'node:crypto'
import { call, type FileDefinition } from '../page.ts'

export const preview: FileDefinition = {
  method: 'GET',
  path: '/templates/:id/preview',
  async view(at) {
    const text = await at.need(call('getPassTemplatePreview', { id: at.params['id'] ?? '' }))
    const sheets = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, sheet = '']) => "'sha256-" + hash('sha256', sheet, 'base64') + "'",
    )
    const policy =
      "default-src 'none'; img-src data:; frame-ancestors 'self'; sandbox; style-src " +
      (sheets.length === 0 ? "'none'" : sheets.join(' '))
    return { policy, text }
  },
}
