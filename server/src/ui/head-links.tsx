import { mainFontPath } from './fonts.ts'
import { stylesheet } from './stylesheet.ts'

/** The icon, the typeface and the style sheet of every page. */
export const HeadLinks = () => (
  <>
    <link rel="icon" href="/favicon.ico" sizes="32x32" />
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
    <link rel="preload" href={mainFontPath} as="font" type="font/woff2" crossorigin="anonymous" />
    <link rel="stylesheet" href={stylesheet.path} />
  </>
)
