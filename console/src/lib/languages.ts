/** The languages of the service, and what each calls itself. A test compares them with those of the server. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const

const NAMES: Record<(typeof LANGUAGES)[number], string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  ja: '日本語',
  ar: 'العربية',
}

export const LANGUAGE_CHOICES = LANGUAGES.map((value) => ({ value: value as string, label: NAMES[value] }))
