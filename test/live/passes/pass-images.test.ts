// Images of passes: access by the tenant and by the public, bounds, and deletion.
import sharp from 'sharp'
import { test } from 'tap'
import { IMAGE_BYTES_MAX, IMAGES_MAX } from '../../../api/passes/images/upload.ts'
import { createClient } from '../../../client/index.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { caller, done, makeTemplate } from '../../harness/passes.ts'

const dot = sharp({ create: { width: 58, height: 58, channels: 3, background: 'red' } })
  .png()
  .toBuffer()

async function upload(api: TestApi): Promise<Answer> {
  return caller(api).post('pass_images', { role: 'icon', data: (await dot).toString('base64') })
}

function said({ status, body }: Answer): unknown[] {
  return [status, body.error?.code, body.error?.param]
}

async function bytesOf(url: string, headers: { [name: string]: string } = {}) {
  const response = await fetch(url, { headers })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('an image is read in each scale, with the tenant’s key or at its public address', async (t) => {
  const api = await startIssuingApi()
  const { id } = done(await upload(api))
  const authorization = 'Bearer ' + api.tenant.keys.read
  for (const [query, width] of [
    ['', 87],
    ['?scale=1', 29],
    ['?scale=2', 58],
    ['?scale=3', 87],
  ] as const) {
    const path = api.url + '/v1/pass_images/' + id + '/content' + query
    const { response, bytes } = await bytesOf(path, { authorization })
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'image/png')
    t.equal(response.headers.get('cache-control'), 'private, max-age=31536000, immutable')
    t.match(await sharp(bytes).metadata(), { width, format: 'png' })
    const scale = query === '' ? '3' : query.slice(-1)
    const open = await bytesOf(api.url + '/p/images/' + id + '/' + scale + '.png')
    t.same(open.bytes, bytes, 'the same picture')
    for (const [name, value] of [
      ['content-type', 'image/png'],
      ['cache-control', 'public, max-age=31536000, immutable'],
      ['content-security-policy', "default-src 'none'"],
      ['x-content-type-options', 'nosniff'],
    ] as const)
      t.equal(open.response.headers.get(name), value)
  }
  const { get } = caller(api)
  t.same(said(await get('pass_images/' + id + '/content?scale=4')), [
    ...[400, 'parameter_invalid', 'scale'],
  ])
  t.equal((await caller(api, api.other).get('pass_images/' + id + '/content')).status, 404)
  t.equal((await api.call('GET', '/v1/pass_images/' + id + '/content')).status, 401)
  const publishable = { key: api.tenant.keys.publishable }
  t.equal((await api.call('GET', '/v1/pass_images/' + id + '/content', publishable)).status, 403)
  for (const path of [id + '/4.png', id + '/1.jpg', 'pimg_nobody/1.png', '%00/1.png', "'/1.png"]) {
    const answer = await api.call('GET', '/p/images/' + path)
    t.equal(answer.status, 404, path)
    t.equal(answer.headers.get('cache-control'), 'no-store')
  }
})

test('a tenant stores a bounded number of images and bytes', async (t) => {
  const api = await startIssuingApi()
  done(await upload(api))
  const { tenantId } = api.tenant
  const fill = (count: number, png: Buffer) => api.sql`
    with made as (
      insert into pass_images (id, tenant_id, environment, role, width, height, sha256, created_at)
      select 'pimg_' || ${tenantId} || n, ${tenantId}, 'sandbox', 'icon', 1, 1, '', 0 from generate_series(1, ${count}::int) n
      returning id
    )
    insert into pass_image_scales (image_id, scale, width, height, png) select id, 1, 1, 1, ${png} from made`
  const empty = async () => {
    await api.sql`delete from pass_image_scales where image_id like ${'pimg_' + tenantId + '%'}`
    await api.sql`delete from pass_images where id like ${'pimg_' + tenantId + '%'}`
  }
  await fill(IMAGES_MAX - 2, Buffer.alloc(1))
  const both = await Promise.all([upload(api), upload(api)])
  t.same(both.map(({ status }) => status).sort(), [201, 409], 'of two at once, one')
  const refused = await upload(api)
  t.match(refused, {
    status: 409,
    body: { error: { code: 'too_many_images', images: IMAGES_MAX, images_max: IMAGES_MAX } },
  })
  const [kept] = await api.sql`select count(*) from pass_images where tenant_id = ${tenantId}`
  t.equal(kept?.['count'], IMAGES_MAX)
  t.equal((await caller(api, api.other).get('pass_images')).body.data.length, 0)

  await empty()
  // Not one image of all the bytes: on a busy machine sending it takes longer than a statement may.
  await fill(50, Buffer.alloc(Math.floor((IMAGE_BYTES_MAX - 100) / 50)))
  t.match(await upload(api), {
    status: 409,
    body: { error: { code: 'too_many_images', images: 52, bytes_max: IMAGE_BYTES_MAX } },
  })
  await empty()
  t.equal((await upload(api)).status, 201)
})

test('an unused image can be deleted, and one that any template version names stays', async (t) => {
  const api = await startIssuingApi()
  const { get, patch, remove } = caller(api)
  const [free, used, shared] = [
    done(await upload(api)).id,
    done(await upload(api)).id,
    done(await upload(api)).id,
  ]
  const path = 'pass_images/' + free
  t.equal((await caller(api, api.other).remove(path)).status, 404)
  t.same(done(await remove(path)), { id: free, object: 'pass_image', deleted: true })
  t.equal((await get(path)).status, 404)
  t.equal((await remove(path)).status, 404)
  t.equal((await bytesOf(api.url + '/p/images/' + free + '/1.png')).response.status, 404)

  const template = await makeTemplate(api, { images: { icon: used } })
  done(await patch('pass_templates/' + template.id, { images: { icon: shared } }))
  for (const id of [used, shared])
    t.same(said(await remove('pass_images/' + id)), [409, 'image_in_use', null])
  t.same(said(await patch('pass_templates/' + template.id, { images: { icon: free } })), [
    ...[400, 'parameter_invalid', '/images/icon'],
  ])
})

test('an image named and deleted at once is either named or gone', async (t) => {
  const api = await startIssuingApi()
  for (let round = 0; round < 4; round++) {
    const { id } = done(await upload(api))
    const { remove, post } = caller(api)
    const template = { name: 'T', style: 'generic', organization_name: 'S', description: 'D' }
    const [named, gone] = await Promise.all([
      post('pass_templates', { ...template, images: { icon: id } }),
      remove('pass_images/' + id),
    ])
    t.ok(
      (named.status === 201 && gone.status === 409) ||
        (named.status === 400 && gone.status === 200),
      named.status + ' ' + gone.status,
    )
  }
})

test('the client returns an image as bytes and a preview as text', async (t) => {
  const api = await startIssuingApi()
  const { id } = done(await upload(api))
  const template = await makeTemplate(api)
  const svc = createClient({ baseUrl: api.url, key: api.tenant.keys.write })
  const bytes = await svc.getPassImageContent({ id, scale: 1 })
  t.match(await sharp(bytes).metadata(), { format: 'png', width: 29 })
  t.match(await svc.getPassTemplatePreview({ id: template.id }), /^<!doctype html>/)
  const change = { id: template.id, colors: { background: '#30a46c' } }
  t.match(await svc.previewPassTemplate(change), '#30a46c')
  const refused = svc.getPassImageContent({ id: 'pimg_nobody' })
  await t.rejects(refused, { status: 404, code: 'resource_missing' })
})
