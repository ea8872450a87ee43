// The endpoints of pass images.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { PASS_IMAGE_ROLES } from '../../../shared/schemas/pass-content.ts'
import { DeletedPassImage, PassImage } from '../../../shared/schemas/pass-image.ts'
import { ExternalId, TENANT_FIELDS_INPUT } from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { Scale } from '../wallets/model/image-roles.ts'
import type { ThreadsPort } from '../wallets/services.ts'
import { deletePassImage } from './delete.ts'
import { readPassImage, readPassImages, readPicture } from './read.ts'
import { uploadPassImage } from './upload.ts'

const LIST = '/v1/pass_images'
const Role = Type.Enum([...PASS_IMAGE_ROLES])
/** Chosen: 700 KB as a file, which leaves space for the rest of the body. */
const DATA_CHARACTERS_MAX = 960_000

export const passImageRoutes: readonly Route<ThreadsPort>[] = [
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary: 'Lists images of passes, newest first.',
    family: 'pass',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      role: Type.Optional(Role),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(PassImage),
    run: (context, { query }) => readPassImages(context, query),
  }),
  route({
    method: 'GET',
    paths: [LIST + '/:id'],
    scope: 'read',
    summary: 'Returns one image of passes.',
    family: 'pass',
    params: IdParams,
    answer: PassImage,
    run: (context, { params }) => readPassImage(context, params.id),
  }),
  route({
    method: 'GET',
    paths: [LIST + '/:id/content'],
    scope: 'read',
    summary: 'Returns the picture itself, as wallets get it.',
    family: 'pass',
    params: IdParams,
    query: closed({
      scale: described(
        Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })),
        'Pixels per point: 1, 2 or 3.',
      ),
    }),
    answer: null,
    media: 'image/png',
    run: (context, { params: { id }, query: { scale = 3 } }) =>
      // The schema admits only scales.
      readPicture(context, { id, scale: scale as Scale }),
  }),
  route({
    method: 'POST',
    paths: [LIST],
    scope: 'write',
    entitled: 'issuing',
    summary: 'Takes a picture that templates can name. It is cut to the size of its place.',
    family: 'pass',
    bucket: 'templates_write',
    body: closed({
      role: described(Role, "The picture's place on a pass."),
      data: described(
        Type.String({
          minLength: 4,
          maxLength: DATA_CHARACTERS_MAX,
          pattern: '^[A-Za-z0-9+/]+={0,2}$',
        }),
        'The PNG, JPEG or WebP file in base64: at most 700 KB and 24 million pixels.',
      ),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: PassImage,
    status: 201,
    run: (context, { body }, port: ThreadsPort) =>
      uploadPassImage(
        context,
        {
          role: body.role,
          data: body.data,
          externalId: body.external_id ?? null,
          metadata: body.metadata ?? {},
        },
        port,
      ),
  }),
  route({
    method: 'DELETE',
    paths: [LIST + '/:id'],
    scope: 'write',
    entitled: 'always',
    summary: 'Deletes a picture that no template names.',
    family: 'pass',
    bucket: 'templates_write',
    params: IdParams,
    answer: DeletedPassImage,
    run: (context, { params }) => deletePassImage(context, params.id),
  }),
]
