"""What can be set for this app alone: the restaurants' time zone, where photographs are, and who draws them."""

from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from handrail.service import settings


class DeliverySettings(BaseSettings):
    """Each field is an environment variable: `HANDRAIL_DELIVERY_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="HANDRAIL_DELIVERY_", extra="ignore", frozen=True, hide_input_in_errors=True)

    time_zone: str = Field(default="UTC", description="The restaurants' time zone, such as Europe/Berlin; opening hours are in it.")
    images: Path | None = Field(
        default=None,
        description="A folder with photographs of dishes, such as 101.webp; without it, and where one is missing, pictures are drawings.",
    )
    image_model: str = Field(default="gpt-image-1", description="What `handrail images` asks for photographs.")
    image_base_url: str | None = Field(default=None, description="The image API, where it is not the one of OPENAI_BASE_URL.")
    image_key: SecretStr | None = Field(default=None, description="The image API's key, where it is not OPENAI_API_KEY.")

    @field_validator("time_zone")
    @classmethod
    def _is_known(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("there is no time zone of that name here") from None
        return value


def read_settings() -> DeliverySettings:
    """The settings of this environment.

    Raises:
        InputError: one of them does not fit.
    """
    return settings.read_settings(DeliverySettings)
