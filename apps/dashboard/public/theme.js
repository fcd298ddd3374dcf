// Before the first paint, so that nothing flashes. A file of its own: the policy allows no script in the markup.
(() => {
  let wanted = null;
  try {
    wanted = localStorage.getItem('slipway.theme');
  } catch {
    // Storage may be switched off: then the system decides.
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
