import { currentLanguage } from '../languages/current-language.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '../languages/languages.ts'
import { t } from '../languages/translate.ts'
import { findCurrentPage } from './current-page.ts'
import { CSRF_FIELD } from './form.tsx'

export const LANGUAGE_PATH = '/language'

/** Each language by its own name. It works without scripts. */
export const LanguageChoice = () => {
  const page = findCurrentPage()
  if (!page) return null
  const current = LANGUAGES.find((language) => language === currentLanguage()) ?? 'en'
  return (
    <details class="languages">
      <summary>
        <Globe />
        <span class="unseen">{t('Language')}: </span>
        {LANGUAGE_NAMES[current]}
      </summary>
      <form method="post" action={LANGUAGE_PATH}>
        <input type="hidden" name={CSRF_FIELD} value={page.createCsrf()} />
        <input type="hidden" name="path" value={page.path} />
        {LANGUAGES.map((language) => (
          <button
            key={language}
            name="language"
            value={language}
            lang={language}
            {...(language === current && { 'aria-current': 'true' as const })}
          >
            <bdi>{LANGUAGE_NAMES[language]}</bdi>
          </button>
        ))}
      </form>
    </details>
  )
}

const Globe = () => (
  <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
    <path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5.5 5 12.5 0 18M12 3c-5 5.5-5 12.5 0 18" />
  </svg>
)
