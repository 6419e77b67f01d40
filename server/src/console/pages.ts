import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { definePage, type Page, type PageInput, type PageResult } from '../http/routing/define-route.ts'
import { currentLanguage } from '../languages/current-language.ts'
import { toDirection } from '../languages/languages.ts'
import { t } from '../languages/translate.ts'
import { newSecret } from '../lib/secrets.ts'
import { readConsolePage } from './files.ts'

/**
 * The console is a single-page application that uses the public API only. Its router runs in the browser, so one page
 * serves all of its paths.
 */

/** The build writes this where the CSP nonce for styles belongs. */
const NONCE_PLACEHOLDER = '__style_nonce__'

const ACCOUNT_LINK = '<a href="/account">/account</a>'

const shell = readConsolePage()

function serveConsole(_: Ctx, { reply }: PageInput): PageResult {
  if (shell === undefined) {
    throw new AppError('NOT_FOUND', { message: 'The console was not built with this service.' })
  }
  // The console signs in by redirect and opens no other window.
  reply.header('Cross-Origin-Opener-Policy', 'same-origin')
  const styleNonce = newSecret()
  const language = currentLanguage()
  const html = shell
    .replace('<html lang="en">', `<html lang="${language}" dir="${toDirection(language)}">`)
    .replace(/(?<=<noscript>).*(?=<\/noscript>)/s, () =>
      t('The console needs JavaScript. Your account is also at {address}.', { address: ACCOUNT_LINK }),
    )
    .replaceAll(NONCE_PLACEHOLDER, styleNonce)
  return { html, scripts: true, styleNonce }
}

export const consolePages: Page[] = ['/console', '/console/*'].map((path) =>
  definePage({ method: 'GET', path, allowsSupport: true, handler: serveConsole }),
)
