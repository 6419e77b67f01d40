import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { Command } from 'commander'
import { sections } from '../app.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { writeExport } from '../declaration/export.ts'
import type { Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { fsProblem } from '../lib/fs-problem.ts'
import { runCommand } from './run.ts'

interface Options {
  file?: string
  sections?: string
  withSecrets?: boolean
}

const KEYS = sections.map(({ key }) => key)

export const exportCommand = new Command('export')
  .description('write what the instance holds, as a declaration')
  .option('-f, --file <file>', 'where to (standard output)')
  .option('--sections <names>', `only some, separated by commas: ${KEYS.join(', ')}`)
  .option('--with-secrets', "also the hashes of passwords and of clients' secrets")
  .option('--with-password-hashes', 'the same')
  .action(async ({ file, withPasswordHashes, ...options }: Options & { withPasswordHashes?: boolean }) => {
    const wanted = chooseSections(options.sections)
    const withSecrets = options.withSecrets ?? withPasswordHashes ?? false
    await runCommand(loadCommandConfig(processEnvironment()), (ctx, { signal }) =>
      writeTo(file, (write) =>
        writeExport(ctx, wanted, {
          withSecrets,
          write(text) {
            signal.throwIfAborted()
            return write(text)
          },
        }),
      ),
    )
  })

function chooseSections(names: string | undefined): Section[] {
  if (names === undefined) return sections
  const wanted = names.split(',').map((name) => name.trim())
  const unknown = wanted.find((name) => !KEYS.includes(name))
  if (unknown !== undefined)
    throw new OperatorError(`There is no section "${unknown}". There are: ${KEYS.join(', ')}.`)
  return sections.filter(({ key }) => wanted.includes(key))
}

type Write = (text: string) => Promise<void>

/** A file is there whole or not at all, and for its owner's eyes only. */
async function writeTo(file: string | undefined, work: (write: Write) => Promise<void>): Promise<void> {
  if (file === undefined) {
    // Whoever reads may have seen enough; the one who writes hears of it below.
    process.stdout.on('error', () => {})
    return work(waiting(process.stdout))
  }
  // Under a name that nobody can have put something at before: neither a link nor a file that others may read.
  const part = `${file}.${randomBytes(8).toString('hex')}.part`
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  try {
    await once(stream, 'open')
    await work(waiting(stream))
    stream.end()
    await finished(stream)
    await rename(part, file)
  } catch (error) {
    stream.destroy()
    await rm(part, { force: true })
    const reason = fsProblem(error) ?? (isMissing(error) ? 'there is no such folder' : undefined)
    if (reason === undefined) throw error
    throw new OperatorError(`${file} cannot be written: ${reason}.`, { cause: error })
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Whoever writes waits while the other side is slow, so that nothing piles up here. */
const waiting =
  (stream: NodeJS.WritableStream): Write =>
  (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(toSentence(error)) : resolve()))
    })

const toSentence = (error: Error) =>
  'code' in error && error.code === 'EPIPE' ? new OperatorError('Nobody reads on.') : error
