import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { definePage, type Page, type PageAnswer, type PageInput } from '../http/define-route.ts'
import { newSecret } from '../lib/secrets.ts'
import { readShell } from './files.ts'

/**
 * The console: a program in the browser that knows us by our API alone. Here it is only handed out. Which of its
 * places is meant is its own matter, so one page answers for them all.
 */

/** The build leaves this where the number of the page's styles belongs. */
const PLACEHOLDER = '__style_nonce__'

const shell = readShell()

function answerShell(_: Ctx, { reply }: PageInput): PageAnswer {
  if (shell === undefined) {
    throw new AppError('NOT_FOUND', { message: 'The console was not built with this service.' })
  }
  // It leaves for the sign-in and comes back itself, and needs no window beside its own.
  reply.header('Cross-Origin-Opener-Policy', 'same-origin')
  const styleNonce = newSecret()
  return { html: shell.replaceAll(PLACEHOLDER, styleNonce), scripts: true, styleNonce }
}

export const consolePages: Page[] = ['/console', '/console/*'].map((path) =>
  definePage({ method: 'GET', path, handler: answerShell }),
)
