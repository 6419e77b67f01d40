import { DocsLayout } from '../../ui/docs-layout.tsx'
import { type Guide, type GuidePage, guidePath, listPages, resolveLinks } from './content.ts'

interface GuideProps {
  guide: Guide
  search: string
}

/** The page that shows all topics. */
export const GuideIndex = ({ guide, search }: GuideProps) => (
  <DocsLayout title="Guide" area="guide" search={search} sidebar={<Topics guide={guide} current={undefined} />}>
    <header class="page-head">
      <h1>Guide</h1>
      <p class="lead">
        How to sign people in, manage their tenants and licenses, and run Latchkey. For the operations of the API, see
        the <a href="/docs">API reference</a>.
      </p>
    </header>
    <div class="topics">
      {guide.topics.map(({ title, pages }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {pages.map((name) => (
              <li key={name}>
                <a href={guidePath(name)}>{guide.pages.get(name)?.title}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  </DocsLayout>
)

const Topics = ({ guide, current }: { guide: Guide; current: GuidePage | undefined }) => (
  <>
    <a class="sidebar-top" href="/guide" {...(!current && { 'aria-current': 'page' as const })}>
      All topics
    </a>
    {guide.topics.map(({ title, pages }) => (
      <details key={title} open={current !== undefined && pages.includes(current.name)}>
        <summary>{title}</summary>
        <ul>
          {pages.map((name) => (
            <li key={name}>
              <a href={guidePath(name)} {...(name === current?.name && { 'aria-current': 'page' as const })}>
                {guide.pages.get(name)?.title}
              </a>
            </li>
          ))}
        </ul>
      </details>
    ))}
  </>
)

export function GuideArticle({ guide, search, page }: GuideProps & { page: GuidePage }) {
  const topic = guide.topics.find(({ pages }) => pages.includes(page.name))
  const pages = listPages(guide)
  const index = pages.indexOf(page)
  return (
    <DocsLayout
      title={`${page.title} · Guide`}
      area="guide"
      search={search}
      sidebar={<Topics guide={guide} current={page} />}
    >
      <div class="article">
        <article>
          <p class="topic">{topic?.title}</p>
          <h1>{page.title}</h1>
          {/* The HTML was made from the Markdown files of this repository, in which HTML is escaped. */}
          <div class="prose" dangerouslySetInnerHTML={{ __html: resolveLinks(page.html) }} />
          <nav class="neighbors" aria-label="Previous and next page">
            <Neighbor page={pages[index - 1]} label="Previous" />
            <Neighbor page={pages[index + 1]} label="Next" />
          </nav>
        </article>
        <OnThisPage {...page} />
      </div>
    </DocsLayout>
  )
}

const Neighbor = ({ page, label }: { page: GuidePage | undefined; label: string }) =>
  page ? (
    <a class={label.toLowerCase()} href={guidePath(page.name)} rel={label === 'Next' ? 'next' : 'prev'}>
      <span class="quiet">{label}</span> {page.title}
    </a>
  ) : null

const OnThisPage = ({ headings }: GuidePage) =>
  headings.length < 2 ? null : (
    <nav class="on-this-page" aria-labelledby="on-this-page">
      <h2 id="on-this-page">On this page</h2>
      <ul>
        {headings
          .filter(({ level }) => level === 2)
          .map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text.replaceAll('`', '')}</a>
            </li>
          ))}
      </ul>
    </nav>
  )
