import { element } from './dom.ts';

/** Puts the switch between the system's, the light and the dark theme into the header. */
export function addThemeSwitch(header: Element): void {
  const group = element('fieldset', { class: 'theme chooser' }, element('legend', {}, 'Theme'));
  for (const theme of ['system', 'light', 'dark']) {
    const input = element('input', { type: 'radio', name: 'theme', value: theme });
    input.checked = theme === 'system';
    input.addEventListener('change', () => {
      if (theme === 'system') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = theme;
    });
    group.append(element('label', {}, input, element('span', {}, theme.charAt(0).toUpperCase() + theme.slice(1))));
  }
  header.append(group);
}
