// Events, endpoints and what is written of the API, in one process with one API.
import '../live/api-certify.test.ts'
import '../live/api-events.test.ts'
import '../live/api-lists.test.ts'
import '../live/api-webhook-deliveries.test.ts'
import '../live/api-webhook-endpoints.test.ts'
import '../live/api-wire.test.ts'
import '../live/client.test.ts'
