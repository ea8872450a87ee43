// Cards and who holds them, in one process with one API: half of what such a file costs alone is
// its start.
import '../live/api-authentications.test.ts'
import '../live/api-card-searches.test.ts'
import '../live/api-card-transactions.test.ts'
import '../live/api-cardholders.test.ts'
import '../live/api-cards.test.ts'
import '../live/api-cards-life.test.ts'
import '../live/api-cards-pin.test.ts'
import '../live/api-cards-replace.test.ts'
import '../live/api-cards-reveal.test.ts'
import '../live/api-wallet-tokens.test.ts'
