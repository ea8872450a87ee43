// `npm run cluster`: three machines as three directories on loopback, with etcd, PostgreSQL,
// engines, apis and a front door; and the commands for that cluster.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Runs a shard of three machines on this one: three directories with an engine and an api each, three
nodes of etcd, PostgreSQL with two standbys and a front door, all on loopback. Needs etcd (Debian: etcd-server, or SVC_ETCD_BIN).

  npm run cluster                    starts everything and stays up; Ctrl-C stops it, the data stays
  npm run cluster -- --shards 2      the same with two shards: an engine for each on every machine

While it runs, from another terminal:

  npm run cluster -- status          owner, epoch, each member's entries and why it may not take over
  npm run cluster -- kill NAME       kills an engine (kill -9); it is started again and follows
  npm run cluster -- pause NAME      stops an engine where it stands (SIGSTOP)
  npm run cluster -- continue NAME   lets it go on (SIGCONT): an owner that was replaced ends with code 75
  npm run cluster -- lose NAME       takes an engine's journal away; it comes back as another member
  npm run cluster -- handover [NAME] the owner hands over, to NAME or to whoever applied most
  npm run cluster -- add NAME        another machine
  npm run cluster -- remove NAME     stops a machine for good; below three only with --force
  npm run cluster -- promote [NAME]  kills the primary of PostgreSQL and promotes a standby, NAME or the one
                                     that has most; the others are copied anew. Repeated without a name it
                                     promotes no other server while the promoted one answers
  npm run cluster -- adopt           etcd was lost or restored: stops the engines, founds each shard anew from
                                     the longest journal in a later epoch, and starts them

NAME is a, b, c … or the word owner. For machines of your own, with the settings of an engine:

  npm run cluster -- init            founds the shard of SVC_ETCD, SVC_CELL and SVC_SHARD, with the journal in
                                     SVC_DATA_DIR where there is one
  npm run cluster -- adopt           with SVC_ETCD: founds the shard anew after the loss or the restore of etcd,
                                     from the longest journal in SVC_DATA_DIR and each --beside DIR; stop the
                                     engines of the shard on all machines first. With DATABASE_URL it refuses
                                     a journal that ends before what PostgreSQL has

  --data-dir DIR   directory of the cluster (default: cluster in SVC_DATA_DIR, else .data/cluster)
  --shard NAME     the shard of handover and of the word owner (default s1); kill, pause, continue and lose
                   of a machine take all its engines without it
  --beside DIR     adopt: data directory of another member, mounted or copied here; may be repeated
  --force          promote, also where a standby, or the server that a cut call promoted, does not answer:
                   commits that it alone has are lost;
                   remove, also below three machines; adopt, also where PostgreSQL has entries that no
                   journal here holds: it gives them up
  --help           this text
`

await runCommand({
  help: HELP,
  run: async () => (await import('./cluster/main.ts')).main(),
})
process.exit()
