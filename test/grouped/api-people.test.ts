// Keys, people and who is who, in one process with one API.
import '../live/api-audit-log.test.ts'
import '../live/api-keys.test.ts'
import '../live/api-people.test.ts'
import '../live/api-screening.test.ts'
import '../live/factors.test.ts'
