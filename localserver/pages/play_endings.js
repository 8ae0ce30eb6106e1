// How a part ends, and the ways on from there.

// closing is how a part ended. What is announced of it is its title, once, by tell; and the
// button that has the focus.
const closing = (outcome, m, points) => {
  const { kind, title } = persona.endings[outcome] || { kind: '', title: 'The end' }
  const card = make('section', 'end ' + kind, make('h2', '', title))
  card.setAttribute('aria-label', title)
  card.setAttribute('aria-live', 'off')
  if (m.scored) card.append(make('p', '', 'Your score: ' + points + ', needed: ' + m.threshold + '.'))
  return put(card)
}
// retire takes the life out of the buttons of endings that are past.
const retire = () => { for (const button of log.querySelectorAll('.end button')) button.disabled = true }
const ending = async (outcome, unlocked) => {
  ended = true
  const card = closing(outcome, machine(), score)
  const title = card.firstElementChild.textContent
  const ways = make('div', 'ways')
  const next = unlocked.includes(persona.leads[me.machine]) ? persona.leads[me.machine] : ''
  // A key that is held down since the last message chooses nothing.
  card.onkeydown = (event) => { if (event.repeat) event.preventDefault() }
  $('send').hidden = true
  if (next) {
    card.append(make('p', '', 'Going on to ' + name(next) + ' …'), ways)
    ways.append(way(next, 'Unlocked'))
    tell(title + '. Going on to ' + name(next) + '.')
    choose(ways)
    const from = me.machine
    await new Promise((done) => setTimeout(done, 1600))
    return me.machine === from && !busy && card.isConnected ? open(next) : undefined
  }
  const others = unlocked.length > 0 ? [] : await reachable()
  for (const id of unlocked) ways.append(way(id, 'Unlocked'))
  for (const other of others) ways.append(way(other.machine_id, ''))
  const again = make('button', ways.children.length === 0 ? 'first' : '', 'Begin this part again')
  again.type = 'button'
  again.onclick = () => restart(true)
  ways.append(again)
  card.append(ways)
  tell(title + (unlocked.length > 0 ? '. Unlocked: ' + unlocked.map(name).join(', ') : '') + '.')
  choose(ways)
}
// choose gives the focus to the first of an ending's buttons, and shows all of it.
const choose = (ways) => {
  down()
  ways.firstElementChild.focus({ preventScroll: true })
}
const name = (id) => (machines.get(id) || { name: 'the next part' }).name
const way = (id, remark) => {
  const button = make('button', remark ? 'first' : '', 'Go on to ' + name(id))
  button.type = 'button'
  if (remark) button.append(make('small', '', remark))
  button.onclick = () => open(id)
  return button
}
const reachable = async () => {
  try {
    const list = await read('GET', progressPath('available-machines'), { user_session_id: me.user })
    return list.filter((m) => m.machine_id !== me.machine && !m.session_outcome)
  } catch { return [] }
}
