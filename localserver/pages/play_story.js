// Loads and draws the story from the server, and follows other tabs that are ahead.

// resume draws the story from its histories, the current part last. It returns false if the current
// part does not exist.
const resume = async (id, here) => {
  let history
  try {
    history = await historyOf(id)
  } catch (refusal) {
    if (refusal.status === 404) return false
    throw refusal
  }
  const before = await earlier(id || me.machine)
  me.machine = id || me.machine
  me.name = history.player_name
  me.gender = history.player_gender
  quietly(() => draw(before, history))
  keep()
  inside()
  if (history.outcome) await ending(endOf(history), [])
  chapters()
  down()
  if (here && !history.outcome) tell('You left off here.')
  return true
}
const historyOf = (id) => read('GET', chat('history'), { user_session_id: me.user, machine_id: id })
// earlier returns the other parts that were played, in the order of their start. After an error it
// returns an empty list, so that the current part can still be played.
const earlier = async (here) => {
  try {
    const list = await read('GET', progressPath('available-machines'), { user_session_id: me.user })
    const played = list.filter((m) => m.has_session && m.machine_id !== here && machines.has(m.machine_id))
    const parts = await Promise.all(played.map(async (m) => ({ id: m.machine_id, history: await historyOf(m.machine_id) })))
    return parts.sort((a, b) => a.history.started_at < b.history.started_at ? -1 : 1)
  } catch { return [] }
}
// quietly changes the log without an announcement by screen readers, because the texts were
// announced before.
const quietly = (change) => {
  log.setAttribute('aria-live', 'off')
  change()
  setTimeout(() => log.setAttribute('aria-live', 'polite'), 300)
}
const draw = (before, history) => {
  log.replaceChildren()
  addFound(before.map((part) => part.id + '/' + part.history.outcome + (part.history.ending ? '/' + part.history.ending : '')))
  for (const part of before) {
    const m = machines.get(part.id)
    put(make('p', 'chapter', m.name))
    tellPart(m, part.history.messages)
    if (part.history.outcome) closing(m, endOf(part.history))
  }
  if (before.length > 0) put(make('p', 'chapter', machine().name))
  ended = Boolean(history.outcome)
  tellPart(machine(), history.messages)
  stand(history.current_state, history.score, history.redirect_count)
  settle(history.messages)
}
const tellPart = (m, messages) => {
  let before = null
  said = 0
  for (const message of messages) {
    const words = bubble(message.role === 'user' ? 'you' : 'them', message.content)
    if (message.role !== 'assistant') { said++; continue }
    if (before) explain(words, m.id, said)
    const after = standingAfter(before || { state: '', redirects: 0 }, message)
    if (before) moved(m, before, after)
    else tellTries(m, after.state)
    before = after
  }
}
// follow switches to the state of another tab, and keeps the text in the input. The state is passed
// as there, because the other tab's localStorage may arrive later than its message.
const follow = async (there) => {
  stale = busy ? there : null
  if (busy) return
  if (there.user !== me.user) pending = null
  me = { ...me, ...there }
  if (!me.user) return leave()
  working()
  await resume(me.machine, false).catch(() => { /* it is asked again before the next step */ })
  ready()
}
// branchOff continues in a branch that ends before the player's last message, and returns that
// message.
const branchOff = async () => {
  const mine = (await historyOf(me.machine)).messages.filter((m) => m.role === 'user')
  if (mine.length === 0) return ''
  const made = await read('POST', chat('fork'), { machine_id: me.machine }, { user_session_id: me.user, at: mine.length - 1 }, random())
  me.user = made.user_session_id
  pending = null
  keep()
  return mine[mine.length - 1].content
}
// takeBack takes the last message back. It puts the message into the input or, with isAgain, sends
// it again to get a reply in other words.
const takeBack = async (isAgain) => {
  if (busy) return
  working()
  let text = ''
  try {
    text = await branchOff()
    await resume(me.machine, false)
    tellTabs()
    if (!isAgain) tell('Taken back.')
  } catch (error) {
    if (text && !$('words').value) $('words').value = text
    trouble(error, $('fault'))
    return ready()
  }
  if (isAgain && text) return say(text, true)
  if (!$('words').value) $('words').value = text
  ready()
}
const leave = () => {
  log.replaceChildren()
  fault()
  outside()
}
// caughtUp returns whether this tab shows the newest state of the current part.
const caughtUp = async () => {
  const history = await historyOf(me.machine)
  return Boolean(history.outcome) === ended && history.messages.filter((m) => m.role === 'user').length === said
}
// settle determines whether a turn with a lost answer was stored. If it was not, its text is put
// back into the input, and pending keeps its key.
const settle = (messages) => {
  if (!pending || pending.user !== me.user || pending.machine !== me.machine) return
  const mine = messages.filter((m) => m.role === 'user')
  if (mine.length > pending.said && mine[mine.length - 1].content === pending.text) pending = null
  else if (!$('words').value) $('words').value = pending.text
}
