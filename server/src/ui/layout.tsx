import type { ComponentChildren } from 'preact'
import { stylesheetPath } from './stylesheet.ts'

interface LayoutProps {
  title: string
  /** `wide` for pages one reads, narrow for pages one fills in. */
  wide?: boolean
  children: ComponentChildren
}

/** The frame of every page: works without script, in light and dark, on any width. */
export function Layout({ title, wide = false, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Latchkey`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={stylesheetPath} />
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/">
            Latchkey
          </a>
        </header>
        <main class={wide ? 'wide' : 'narrow'}>{children}</main>
      </body>
    </html>
  )
}
