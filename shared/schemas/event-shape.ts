// The envelope of an event as the reference shows it; the data of each type stands with its
// webhook. Spec 2.7.
import { Type } from 'typebox'

export const Event = Type.Object({
  id: Type.String(),
  /** The type of the event, for example card.created. */
  type: Type.String(),
  created: Type.Integer(),
  /** The version that data is in: the one you were pinned to when it happened. */
  api_version: Type.String(),
  /** The resource at that moment, under its name, as its GET shows it in that version. */
  data: Type.Object({}),
  /** For changes: the earlier values of the changed fields. */
  previous_attributes: Type.Optional(Type.Object({})),
})
