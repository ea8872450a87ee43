// The envelope of an event as the reference shows it; the data of each type stands with its
// webhook. Spec 2.7.
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const Event = Type.Object({
  id: Type.String(),
  type: described(Type.String(), 'The type of the event, for example card.created.'),
  created: Type.Integer(),
  api_version: described(
    Type.String(),
    'The version that data is in: the one you were pinned to when it happened.',
  ),
  data: described(
    Type.Object({}),
    'The resource at that moment, under its name, as its GET shows it in that version.',
  ),
  previous_attributes: described(
    Type.Optional(Type.Object({})),
    'For changes: the earlier values of the changed fields.',
  ),
})
