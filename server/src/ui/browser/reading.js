/** Marks the operation or the heading that is being read in the list of contents. */
export function followReading() {
  const parts = [...document.querySelectorAll('.operation, .prose > h2')]
  if (parts.length === 0) return
  const links = new Map()
  for (const link of document.querySelectorAll('.sidebar a, .on-this-page a')) {
    if (link.hash && link.pathname === window.location.pathname) links.set(link.hash.slice(1), link)
  }
  let current
  const observer = new IntersectionObserver(
    (entries) => {
      const visible = entries.find(({ isIntersecting }) => isIntersecting)
      const link = visible && links.get(visible.target.id)
      if (!link) return
      current?.removeAttribute('aria-current')
      link.setAttribute('aria-current', 'true')
      current = link
    },
    // The upper part of the window, below the bars.
    { rootMargin: '-130px 0px -60% 0px' },
  )
  for (const part of parts) observer.observe(part)
}
