import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { currentLanguage } from '../languages/current-language.ts'
import { toDirection } from '../languages/languages.ts'
import { t } from '../languages/translate.ts'
import { type Brand, BrandContext, fitLogo } from './brand.ts'
import { brandSheetPath } from './brand-sheet.ts'
import { HeadLinks } from './head-links.tsx'
import { LanguageChoice } from './language-choice.tsx'
import { Logo } from './logo.tsx'
import { themePath } from './themes.ts'

interface LayoutProps {
  title: string
  /** Wide for text, narrow for forms. */
  wide?: boolean
  /** False: no choice of the language, which opens the page again. It may be shown only once, or hide its cause. */
  hasLanguages?: boolean
  children: ComponentChildren
}

/** The layout of every page. It works without scripts, in light and dark mode, and at any width. */
export function Layout({ title, wide = false, hasLanguages = true, children }: LayoutProps) {
  const brand = useContext(BrandContext)
  const theme = themePath(brand?.theme)
  const language = currentLanguage()
  return (
    <html lang={language} dir={toDirection(language)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${brand?.name ?? 'Latchkey'}`}</title>
        <HeadLinks />
        {theme !== undefined && <link rel="stylesheet" href={theme} />}
        {brand?.color !== undefined && <link rel="stylesheet" href={brandSheetPath(brand.color)} />}
      </head>
      <body>
        <header class={wide ? 'top' : 'top over'}>
          {brand ? (
            <BrandMark {...brand} />
          ) : (
            <a class="brand" href="/">
              <Logo />
              Latchkey
            </a>
          )}
        </header>
        <main class={wide ? 'wide' : 'narrow'}>{children}</main>
        <footer class="foot">
          {brand && <p>{t('Secured by Latchkey')}</p>}
          {hasLanguages && <LanguageChoice />}
        </footer>
      </body>
    </html>
  )
}

/** Not a link, so that users do not leave the flow. The size of the logo is set to avoid a layout shift. */
const BrandMark = ({ name, logo }: Brand) => (
  <p class="brand">
    {logo && <img class="logo" src={logo.path} alt={name} {...fitLogo(logo)} />}
    <span {...(logo && { 'aria-hidden': true as const })}>{name}</span>
  </p>
)
