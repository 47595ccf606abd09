"""A scripted bot with one of everything that the page can show or be asked."""

import io
from typing import Any

import discord
from discord import app_commands

from tests.playground.conftest import SmallBot

Client = discord.Interaction[Any]
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360f8cf500f0003860180e2278a140000000049454e44ae426082"
)


class Form(discord.ui.Modal, title="Found a table"):
    """A modal with texts, a select, a radio group and a checkbox."""

    name: discord.ui.Label[Any] = discord.ui.Label(
        text="Name",
        description="How it is called",
        component=discord.ui.TextInput(custom_id="name", min_length=2),
    )
    reason: discord.ui.Label[Any] = discord.ui.Label(
        text="Reason",
        component=discord.ui.TextInput(
            custom_id="reason", style=discord.TextStyle.paragraph, required=False
        ),
    )
    panel: discord.ui.Label[Any] = discord.ui.Label(
        text="Panel",
        component=discord.ui.Select(
            custom_id="panel",
            options=[discord.SelectOption(label=x) for x in ("classic", "budget")],
        ),
    )
    loud: discord.ui.Label[Any] = discord.ui.Label(
        text="Loud", component=discord.ui.Checkbox(custom_id="loud")
    )

    async def on_submit(self, interaction: Client) -> None:
        name, panel, loud = self.name.component, self.panel.component, self.loud.component
        assert isinstance(name, discord.ui.TextInput)
        assert isinstance(panel, discord.ui.Select)
        assert isinstance(loud, discord.ui.Checkbox)
        text = f"founded {name.value}, {panel.values[0]}, {loud.value}"
        await interaction.response.send_message(text)


class Buttons(discord.ui.View):
    """Buttons and selects that answer in different ways."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.add_item(discord.ui.Button(label="Elsewhere", url="https://example.org/there"))

    @discord.ui.button(label="Whisper", style=discord.ButtonStyle.primary, custom_id="whisper")
    async def whisper(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        await interaction.response.send_message("psst", ephemeral=True)

    @discord.ui.button(label="Change", style=discord.ButtonStyle.danger, custom_id="change")
    async def change(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        await interaction.response.edit_message(content="changed")

    @discord.ui.button(label="Form", style=discord.ButtonStyle.success, custom_id="form")
    async def form(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        await interaction.response.send_modal(Form())

    @discord.ui.button(label="Off", disabled=True, custom_id="off")
    async def off(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        raise AssertionError

    @discord.ui.select(
        custom_id="tea",
        placeholder="Pick a tea",
        options=[discord.SelectOption(label=x) for x in ("green", "black")],
    )
    async def tea(self, interaction: Client, select: discord.ui.Select[Any]) -> None:
        await interaction.response.send_message(f"chose {select.values}", ephemeral=True)

    @discord.ui.select(
        custom_id="cups",
        placeholder="Pick cups",
        max_values=2,
        options=[discord.SelectOption(label=x) for x in ("blue", "white", "red")],
    )
    async def cups(self, interaction: Client, select: discord.ui.Select[Any]) -> None:
        await interaction.response.send_message(f"took {sorted(select.values)}", ephemeral=True)

    @discord.ui.select(cls=discord.ui.UserSelect, custom_id="who", placeholder="Pick a person")
    async def who(self, interaction: Client, select: discord.ui.UserSelect[Any]) -> None:
        await interaction.response.send_message(f"met {select.values[0].name}", ephemeral=True)


async def _whisper(interaction: Client) -> None:
    await interaction.response.send_message("psst", ephemeral=True)


class Layout(discord.ui.LayoutView):
    """A message of version two with every kind of component."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        whisper: discord.ui.Button[Any] = discord.ui.Button(label="Ask", custom_id="ask")
        whisper.callback = _whisper  # type: ignore[method-assign]
        section: discord.ui.Section[Any] = discord.ui.Section("A **section**", accessory=whisper)
        gallery: discord.ui.MediaGallery[Any] = discord.ui.MediaGallery(
            discord.MediaGalleryItem("attachment://dot.png", description="A dot")
        )
        tea: discord.ui.Button[Any] = discord.ui.Button(label="Tea", custom_id="pour")
        self.add_item(
            discord.ui.Container(
                discord.ui.TextDisplay("## The card"),
                section,
                discord.ui.Separator(),
                gallery,
                discord.ui.File("attachment://plan.md"),
                discord.ui.ActionRow(tea),
                accent_colour=0xB4532A,
            )
        )


def files() -> list[discord.File]:
    """A picture and a text."""
    return [
        discord.File(io.BytesIO(PIXEL), "dot.png"),
        discord.File(io.BytesIO(b"# The plan\nIt is **simple**."), "plan.md"),
    ]


def embed() -> discord.Embed:
    """An embed with everything in it."""
    shown = discord.Embed(title="Result", description="*close*", colour=0x3C6C44)
    shown.add_field(name="For", value="3", inline=True)
    shown.add_field(name="Against", value="2", inline=True)
    return shown.set_footer(text="counted twice")


def scripted() -> SmallBot:
    """The bot, with its commands synced when it is ready."""
    bot = SmallBot()
    bot.sync = True
    group = app_commands.Group(name="table", description="Tables")

    @group.command(name="start", description="Hold a meeting")
    @app_commands.describe(topic="What about")
    @app_commands.choices(mode=[app_commands.Choice(name=x, value=x) for x in ("vote", "debate")])
    async def start(
        interaction: Client,
        topic: str,
        mode: app_commands.Choice[str] | None = None,
        rounds: int = 2,
        quick: bool = False,
        guest: discord.Member | None = None,
    ) -> None:
        said = f"{topic} / {mode and mode.value} / {rounds} / {quick} / {guest and guest.name}"
        await interaction.response.send_message(said, ephemeral=True)

    @start.autocomplete("topic")
    async def topics(_: Client, current: str) -> list[app_commands.Choice[str]]:
        names = (f"{current} or coffee", f"<img src=x onerror=alert(1)> {current}")
        return [app_commands.Choice(name=n, value=f"{n}!") for n in names]

    @group.command(name="ready", description="Ask whether it is laid")
    async def ready(interaction: Client) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.followup.send("it is laid", ephemeral=True)

    @group.command(name="silence", description="Get no answer")
    async def silence(_: Client) -> None:
        """Says nothing."""

    @app_commands.context_menu(name="Who said this?")
    async def who(interaction: Client, message: discord.Message) -> None:
        await interaction.response.send_message(f"it was {message.author.name}", ephemeral=True)

    bot.tree.add_command(group)
    bot.tree.add_command(who)
    bot.add_view(Buttons())
    return bot
