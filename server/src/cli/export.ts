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
import { describeFsError } from '../lib/fs-error.ts'
import { runCommand } from './run.ts'

interface Options {
  file?: string
  sections?: string
  withSecrets?: boolean
}

const KEYS = sections.map(({ key }) => key)

export const exportCommand = new Command('export')
  .description('export the instance as a declaration')
  .option('-f, --file <file>', 'the output file (standard output)')
  .option('--sections <names>', `only these sections, separated by commas: ${KEYS.join(', ')}`)
  .option('--with-secrets', 'include the hashes of passwords and client secrets')
  .option('--with-password-hashes', 'the same as --with-secrets')
  .action(async ({ file, withPasswordHashes, ...options }: Options & { withPasswordHashes?: boolean }) => {
    const selected = chooseSections(options.sections)
    const withSecrets = options.withSecrets ?? withPasswordHashes ?? false
    await runCommand(loadCommandConfig(processEnvironment()), (ctx, { signal }) =>
      writeTo(file, (write) =>
        writeExport(ctx, selected, {
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
  const selected = names.split(',').map((name) => name.trim())
  const unknown = selected.find((name) => !KEYS.includes(name))
  if (unknown !== undefined) throw new OperatorError(`There is no section "${unknown}". There are: ${KEYS.join(', ')}.`)
  return sections.filter(({ key }) => selected.includes(key))
}

type Write = (text: string) => Promise<void>

/** Writes the file atomically and readable by its owner only. */
async function writeTo(file: string | undefined, work: (write: Write) => Promise<void>): Promise<void> {
  if (file === undefined) {
    // A closed pipe is reported by `write` below.
    process.stdout.on('error', () => {})
    return work(createWrite(process.stdout))
  }
  // An unpredictable name, so that nobody can place a link or a readable file there first.
  const part = `${file}.${randomBytes(8).toString('hex')}.part`
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  try {
    await once(stream, 'open')
    await work(createWrite(stream))
    stream.end()
    await finished(stream)
    await rename(part, file)
  } catch (error) {
    stream.destroy()
    await rm(part, { force: true })
    const reason = describeFsError(error) ?? (isMissing(error) ? 'there is no such folder' : undefined)
    if (reason === undefined) throw error
    throw new OperatorError(`${file} cannot be written: ${reason}.`, { cause: error })
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Waits for each write, so that a slow reader does not fill the memory. */
const createWrite =
  (stream: NodeJS.WritableStream): Write =>
  (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(toOperatorError(error)) : resolve()))
    })

const toOperatorError = (error: Error) =>
  'code' in error && error.code === 'EPIPE' ? new OperatorError('The output was closed.') : error
