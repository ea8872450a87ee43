// Tags of the document that stand for no resource.

/** The tag of the events that the service sends. */
export const WEBHOOKS_TAG = 'Webhooks'
