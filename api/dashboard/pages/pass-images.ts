// Images of passes: which pictures can templates name? Each is cut to its place by the API.
import { html, url } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, FieldProblem, type FileDefinition, type Visit } from '../page.ts'
import { buttonForm, fileField, form, select } from '../parts/form.ts'
import { seconds } from '../parts/moment.ts'
import { section } from '../parts/panel.ts'

const ROLES = ['icon', 'logo', 'strip', 'thumbnail', 'background', 'footer'] as const

export const images = list({
  path: '/images',
  title: 'Pass images',
  menu: { group: 'Passes', label: 'Images' },
  operation: 'listPassImages',
  filters: [
    { name: 'role', label: 'Place', options: ROLES },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    {
      label: 'Picture',
      cell: ({ id, role }, at) =>
        html`<img class="thumb" loading="lazy" alt="${role}" src="${url(at.to('/images/' + id + '/picture'))}">`,
      text: ({ id }) => id,
    },
    { label: 'Place', cell: ({ role }) => role },
    { label: 'Id', cell: ({ id }) => html`<code>${id}</code>` },
    { label: 'Pixels', isNumber: true, cell: ({ width, height }) => width + ' × ' + height },
    { label: 'Made', cell: ({ created }) => seconds(created) },
    {
      ...{ label: 'Actions', isActions: true },
      cell: ({ id }, at) =>
        at.may('deletePassImage')
          ? buttonForm(at.to('/images/' + id + '/delete'), { label: 'Delete', mood: 'danger' })
          : null,
    },
  ],
  empty: 'No picture was uploaded yet. Wallets show an icon and a logo at least.',
  above: (at) => (at.may('createPassImage') ? upload(at) : null),
})

function upload(at: Visit) {
  return section(
    'Upload a picture',
    form({
      action: at.to('/images/upload'),
      isUpload: true,
      fields: html`<div class="pair wide">${select({ name: 'role', label: 'Place on the pass', options: ROLES.map((one) => [one, one] as const) })}${fileField({ name: 'data', label: 'Picture', hint: 'PNG, JPEG or WebP, at most 700 KB' })}</div>`,
      button: { label: 'Upload' },
    }),
  )
}

export const imageMoves = [
  action({
    path: '/images/upload',
    label: 'Upload a picture.',
    operation: 'createPassImage',
    done: 'The picture is there: templates can name it.',
    input(sent) {
      const data = sent('data')
      if (data === '') throw new FieldProblem('data', 'Choose a picture.')
      return { role: sent('role') as 'icon', data }
    },
    next: () => '/images',
  }),
  action({
    path: '/images/:id/delete',
    label: 'Delete the picture.',
    operation: 'deletePassImage',
    done: 'The picture is deleted.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
    next: () => '/images',
  }),
]

/** The picture itself; the session shows it, an address without one does not. */
export const picture: FileDefinition = {
  method: 'GET',
  path: '/images/:id/picture',
  type: 'image/png',
  async view(at) {
    const id = at.params['id'] ?? ''
    const bytes = await at.need(call('getPassImageContent', { id, scale: 1 }))
    return { policy: "default-src 'none'; sandbox", text: Buffer.from(bytes) }
  },
}
