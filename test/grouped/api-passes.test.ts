// Passes and their pages, in one process with one API.
import '../live/api-pass-fanout.test.ts'
import '../live/api-passes.test.ts'
import '../live/api-passes-batch.test.ts'
import '../live/pass-images.test.ts'
import '../live/pass-page.test.ts'
