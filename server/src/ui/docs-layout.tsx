import type { ComponentChildren } from 'preact'
import { docsScriptPath, docsStylesheetPath } from './docs-files.ts'
import { HeadLinks } from './head-links.tsx'
import { Logo } from './logo.tsx'

interface DocsLayoutProps {
  title: string
  area: 'reference' | 'guide'
  /** The addresses of the search entries, separated by spaces. */
  search: string
  /** Controls of the page in the bar at the top. */
  tools?: ComponentChildren
  sidebar: ComponentChildren
  children: ComponentChildren
}

/**
 * The layout of the API reference and the guide: a bar, a sidebar and the text. On narrow screens the sidebar is a
 * layer that the link "Contents" opens, without script.
 */
export function DocsLayout({ title, area, search, tools, sidebar, children }: DocsLayoutProps) {
  const script = docsScriptPath()
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Latchkey`}</title>
        <HeadLinks />
        <link rel="stylesheet" href={docsStylesheetPath()} />
        {script !== undefined && <script type="module" src={script} />}
      </head>
      <body class={`docs ${area}`} id="top">
        <a class="skip" href="#content">
          Skip to the text
        </a>
        <header class="docs-bar">
          <a class="brand" href="/">
            <Logo />
            Latchkey
          </a>
          <nav class="areas" aria-label="Documentation">
            <Area name="API" path="/docs" current={area === 'reference'} />
            <Area name="Guide" path="/guide" current={area === 'guide'} />
          </nav>
          <div class="search" data-search={search} />
          <a class="menu" href="#contents">
            Contents
          </a>
        </header>
        {tools && <div class="docs-tools">{tools}</div>}
        <nav class="sidebar" id="contents" aria-label="Contents">
          <a class="close" href="#top">
            Close
          </a>
          {sidebar}
        </nav>
        <main id="content">{children}</main>
      </body>
    </html>
  )
}

const Area = ({ name, path, current }: { name: string; path: string; current: boolean }) => (
  <a href={path} {...(current && { 'aria-current': 'true' as const })}>
    {name}
  </a>
)
