import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { requireCsrf } from '../../http/request/csrf.ts'
import { setLanguageCookie } from '../../http/request/language-cookie.ts'
import { definePage, type PageInput } from '../../http/routing/define-route.ts'
import { LANGUAGES, type Language, matchLanguage } from '../../languages/languages.ts'
import { findOwnSession } from '../../sessions/browser-session.ts'
import { readLoginTransaction, sealLogin } from '../../sessions/login-transaction.ts'
import { LANGUAGE_PATH } from '../../ui/language-choice.tsx'
import { getCurrentUser } from '../confirm-identity.ts'
import { changeProfile } from '../profile/service.ts'
import { toCaller } from './define-account-page.tsx'

/** The choice of the language in the footer of the hosted pages. It returns to the page on which it was made. */
export const languagePages = [
  definePage({
    method: 'POST',
    path: LANGUAGE_PATH,
    allowsSupport: true,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const language = LANGUAGES.find((tag) => tag === input.form.get('language'))
      if (language === undefined) throw new AppError('INVALID_REQUEST')
      setLanguageCookie(input.reply, ctx.config, language)
      await changeLocale(ctx, input, language)
      return { redirect: toReturnPath(ctx, input.form.get('path'), language) }
    },
  }),
]

/** Stores the language in the profile of the person who is signed in. A region of the same language stays. */
async function changeLocale(ctx: Ctx, input: PageInput, language: Language): Promise<void> {
  const session = await findOwnSession(ctx, input)
  if (!session) return
  const caller = toCaller(session)
  const { locale } = await getCurrentUser(ctx, caller)
  if (matchLanguage([locale ?? '']) === language) return
  await changeProfile(ctx, { caller, request: input.request }, { locale: language })
}

/** Never the address of another site. What the application asked for gives way to the choice. */
function toReturnPath(ctx: Ctx, path: string | undefined, language: Language): string {
  const { baseUrl } = ctx.config
  if (path === undefined || !URL.canParse(path, baseUrl)) return '/'
  const { origin, pathname, searchParams } = new URL(path, baseUrl)
  // Browsers take a path that begins with two slashes for a host.
  if (origin !== new URL(baseUrl).origin || pathname.startsWith('//')) return '/'
  searchParams.delete('ui_locales')
  const login = readLoginTransaction(ctx, searchParams.get('journey') ?? undefined)
  if (login?.language !== undefined) searchParams.set('journey', sealLogin(ctx, { ...login, language }))
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`
}
