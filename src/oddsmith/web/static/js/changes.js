// Changes in the order they were made, each made of what the one before has left; and the way back.

/**
 * Steps from the state `first` on. Changes wait for each other, so that none is lost: `begun()` is told when one is made
 * or typed, `over()` when all have come to their end.
 */
export function steps(first, { begun, over }) {
  const past = [], future = [];
  let state = first, last = Promise.resolve(), open = 0;
  const begin = () => { if (open++ === 0) begun(); };
  const end = () => { if (--open === 0) over(); };

  /** Do something when all that came before it is done. */
  function next(act) {
    begin();
    const done = last.then(act).finally(end);
    last = done.catch(() => {});
    return done;
  }
  /** Like `next`, when nothing more has been typed for a while. */
  function soon(wait, act) {
    let timer = null;
    return (...given) => {
      if (timer === null) begin();
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = null;
        (async () => act(...given))().finally(end);
      }, wait);
    };
  }
  /** Go to another state; the way back leads to this one. */
  function go(to) {
    past.push(state);
    future.length = 0;
    state = to;
  }
  /** One step back or on; whether there was one. */
  function travel(source, target) {
    if (!source.length) return false;
    target.push(state);
    state = source.pop();
    return true;
  }
  return {
    next, soon, go,
    back: () => travel(past, future),
    on: () => travel(future, past),
    get state() { return state; },
    set state(same) { state = same; },
    get open() { return open > 0; },
    get first() { return past.length === 0; },
    get last() { return future.length === 0; },
  };
}
