/** What the page says of how its numbers came about. */
export const HOW = `- Each program is a process of its own on the loopback interface, each with a database of its own in one PostgreSQL, the bundled one: durable (\`fsync\` and \`synchronous_commit\` on), with \`pg_stat_statements\`. The service runs as in production (\`latchkey serve\`), and writes its log to a file.
- The limits are one Fastify process with routes that do only what cannot be left out: a JSON answer, a remembered token, a signature with RS256 and 2048 bits, a statement, a commit, a password hash.
- Each connection asks its next as soon as it has its answer. **Every answer is looked at**: status, content, tokens of the right form, a new one each time. One wrong answer fails the row and the bench.
- The bench asks with a client of its own, which takes about half the CPU time of autocannon: what is measured beside it on few cores would otherwise be the client. Nothing is cut off at the end of a run, so that chains of refresh tokens go on in the next.
- A row is asked for a while before the clock runs, longer at first; the clock runs on until there are 100 answers. All rows are measured once, then all once more: a ratio is the median over the rounds of what two rows are to each other within the same round, right after each other where that can be.
- "By CPU time" is the CPU time that the other row takes for an answer, divided by that of this row. It moves less when something else is busy on the machine. CPU is that of all threads and processes; 100 % is one core.
- Statements are all that the database executed for the program, \`begin\` and \`commit\` and those of background work included, for each answer.
- "Seat granted, then revoked" has one tenant for each connection; grants in one tenant wait for each other, which the row below it shows.
- "While 32 refresh" has 32 connections more, which refresh tokens meanwhile and are not counted. What it is compared with answers under the same load of signatures.
- The start is timed on a folder that is there: from the first instruction to the first 200 of \`/health/ready\`, and in turn the same database alone, until it answers \`select 1\`.`
